/**
 * Which addresses on a network anybody may reach. Decides by what is known to be public, so that a range nobody
 * thought of is refused: loopback, private nets, link-local and the metadata services of clouds among them [TC-48].
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !RESERVED_V4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  const inner = embeddedV4(address);
  if (inner !== undefined) return isPublicAddress(inner);
  return PUBLIC_V6.check(address, "ipv6") && !RESERVED_V6.check(address, "ipv6");
}

const RESERVED_V4 = blocks("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
]);

const PUBLIC_V6 = blocks("ipv6", ["2000::/3"]);

/** Inside the public range, yet tunnels to other addresses, or for examples and tests only. */
const RESERVED_V6 = blocks("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

function blocks(family: "ipv4" | "ipv6", nets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = "", prefix = ""] = net.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** `::ffff:127.0.0.1`, also written in hexadecimal, is 127.0.0.1. */
function embeddedV4(address: string): string | undefined {
  if (!MAPPED.check(address, "ipv6")) return undefined;
  const dotted = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return "0.0.0.0";
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

const MAPPED = blocks("ipv6", ["::ffff:0:0/96"]);
