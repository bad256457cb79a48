import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./address.js";

describe("isPublicAddress", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450::1",
  ])("reaches %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
    if (!address.includes(":")) expect(isPublicAddress(`::ffff:${address}`)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.192",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
  ])("[TC-48] does not reach %s, also inside IPv6", (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
    expect(isPublicAddress(`::${address}`)).toBe(false);
    expect(isPublicAddress(`64:ff9b::${address}`)).toBe(false);
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
    const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    expect(isPublicAddress(`::ffff:${hex}`)).toBe(false);
    expect(isPublicAddress(`2002:${hex}::1`)).toBe(false);
  });

  it.each([
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
  ])("[TC-48] does not reach %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["", "localhost", "1.2.3", "256.1.1.1", "::g"])("does not reach %j, which is no address", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
