import { describe, expect, it } from "vitest";
import { toolEnvironment } from "./environment.js";

const of = { session: "s1", conversation: "c1" };

describe("the environment of a command", () => {
  it("[CR-4] names session and conversation of the call, whatever the process's own says", () => {
    const env = { TALARIA_SESSION_ID: "stale", TALARIA_CONVERSATION_ID: "stale", PATH: "/bin" };
    expect(toolEnvironment(env, of)).toMatchObject({ TALARIA_SESSION_ID: "s1", TALARIA_CONVERSATION_ID: "c1" });
    expect(toolEnvironment(env, { session: "s2", conversation: "c1" })).toMatchObject({ TALARIA_SESSION_ID: "s2" });
  });

  it.each([
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "TELEGRAM_BOT_TOKEN",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "DB_PASSWORD",
    "GH_PAT",
    "AZURE_DEVOPS_EXT_PAT",
    "NPM_CONFIG__AUTH",
    "REGISTRY_AUTH",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GPG_PASSPHRASE",
    "SECRET_KEY_BASE",
    "MY_TOKEN_FILE",
    "TALARIA_HOME",
    "TALARIA_MODEL",
    "NODE_OPTIONS",
    "BASH_ENV",
    "ENV",
    "BASH_FUNC_ls%%",
    "LD_PRELOAD",
    "npm_config_registry",
  ])("[TC-23] holds no %s", (name) => expect(toolEnvironment({ [name]: "x" }, of)).not.toHaveProperty([name]));

  it("[TC-23] holds no secret in the value of a harmless name", () => {
    const env = toolEnvironment(
      { DATABASE_URL: "postgres://ada:hunter2@db/x", SITE: "https://example.org:8080/a" },
      of,
    );
    for (const start of ["ghp_", "github_pat_", "sk-", "xoxb-"]) {
      expect(toolEnvironment({ MINE: `${start}${"a1B2".repeat(10)}` }, of)).not.toHaveProperty("MINE");
    }
    expect(toolEnvironment({ MINE: `AKIA${"A1B2".repeat(4)}` }, of)).not.toHaveProperty("MINE");
    expect(toolEnvironment({ MINE: "/opt/sk-learn-environment-3/bin" }, of)).toHaveProperty("MINE");
    expect(env).not.toHaveProperty("DATABASE_URL");
    expect(env).toMatchObject({ SITE: "https://example.org:8080/a" });
  });

  it("keeps what commands need, and never waits for a key", () => {
    const env = toolEnvironment(
      { PATH: "/a:/b", HOME: "/home/ada", SSH_AUTH_SOCK: "/s", PAGER: "less", HF_HOME: "/h" },
      of,
    );
    expect(env).toMatchObject({ PATH: "/a:/b", HOME: "/home/ada", SSH_AUTH_SOCK: "/s", HF_HOME: "/h" });
    expect(env).toMatchObject({ PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" });
    expect(toolEnvironment({}, of)).toHaveProperty("PATH");
  });

  it("changes nothing it is given", () => {
    const env = Object.freeze({ A: "1", OPENAI_API_KEY: "x", B: undefined });
    expect(toolEnvironment(env, of)).toMatchObject({ A: "1" });
    expect(toolEnvironment(env, of)).not.toHaveProperty("B");
  });
});
