/** What commands write outside the working directory, and what they do to our own store and program. */
import { describe, expect, it } from "vitest";
import { judgeCommand } from "./commands.js";

const places = { cwd: "/home/ada/work", personHome: "/home/ada", home: "/home/ada/.talaria", hostPid: 4711 };

function verdict(command: string): string {
  const guard = judgeCommand(command, places);
  return guard.kind === "ask" ? guard.grant : guard.kind;
}

describe("[AP-24] writing outside the working directory is asked about, whoever writes", () => {
  it.each([
    ['python3 -c \'open("/etc/x","w").write("a")\'', "system-write"],
    ['python3 -c \'open("/home/ada/other/x", mode="a")\'', "write-outside"],
    ['python3 -c \'from pathlib import Path; Path("/srv/x").write_text("a")\'', "write-outside"],
    ["python3 -c 'import os; os.makedirs(os.path.expanduser(\"~/x\"))'", "write-outside"],
    ['python3 -c \'open("../x", "wb")\'', "write-outside"],
    ['node -e \'fs.writeFileSync("/etc/x", "")\'', "system-write"],
    ['node -e \'fs.promises.appendFile("/srv/x", "")\'', "write-outside"],
    ["node -e 'fs.createWriteStream(`/srv/x`)'", "write-outside"],
    ['ruby -e \'File.write("/etc/x", "")\'', "system-write"],
    ["perl -e 'open(F, \">/etc/x\")'", "system-write"],
    ["php -r 'file_put_contents(\"/srv/x\", 1);'", "write-outside"],
    ['python3 -c \'open("/home/ada/.bashrc","a")\'', "startup-file"],
    ["awk '{print > \"/etc/x\"}' file", "system-write"],
    ["awk 'BEGIN { print 1 >> \"/srv/x\" }'", "write-outside"],
    ["sed -n 'w /etc/x' file", "system-write"],
    ["sed 's/a/b/w /srv/x' file", "write-outside"],
    ["tar xf x.tar -C /srv", "write-outside"],
    ["tar -xzf x.tgz --directory=/etc", "system-write"],
    ["tar czf /srv/x.tgz .", "write-outside"],
    ["unzip x.zip -d /srv", "write-outside"],
    ["unzip -o x.zip -d/etc", "system-write"],
    ["7z x a.7z -o/srv", "write-outside"],
    ["zip -r /srv/x.zip .", "write-outside"],
    ["git clone https://example.org/x.git /srv/x", "write-outside"],
    ["git clone --depth 1 git@example.org:x.git ../x", "write-outside"],
    ["git init /srv/x", "write-outside"],
    ["git worktree add ../topic", "write-outside"],
    ["find . -fprintf /etc/x %p", "system-write"],
    ["mv /srv/x .", "write-outside"],
    ["mv a /srv", "write-outside"],
    ["mv -t /srv a", "write-outside"],
    ["mv ~/notes.txt .", "write-outside"],
    ["mv a /dev/null", "device"],
    ["ln -f a /dev/null", "device"],
    ["rm /dev/null", "device"],
    ["curl -o/etc/x https://example.org", "system-write"],
    ["curl --output=/srv/x https://example.org", "write-outside"],
    ["wget -P /srv https://example.org", "write-outside"],
    ["wget -O/srv/x https://example.org", "write-outside"],
    ["sort -o /srv/x a", "write-outside"],
    ["gcc a.c -o /usr/local/bin/a", "system-write"],
    ["npx esbuild a.ts --outfile=/srv/x.js", "write-outside"],
  ])("%s → %s", (command, kinds) => expect(verdict(command)).toBe(`terminal:${kinds}`));
});

describe("[AP-23] our store, settings and program are not reached through another program", () => {
  it.each([
    "sqlite3 -cmd '.open /home/ada/.talaria/state.db' x .dump",
    'sqlite3 x ".open $HOME/.talaria/state.db" .dump',
    "sqlite3 x \"attach '/home/ada/.talaria/state.db' as s; select * from s.message\"",
    "sqlite3 x <<< \"attach '/home/ada/.talaria/state.db' as s\"",
    "echo \"attach '/home/ada/.talaria/state.db' as s\" | sqlite3 x",
    "cd ~; sqlite3 x \"attach '.talaria/state.db' as s\"",
    "sed 'r /home/ada/.talaria/.env' /dev/null",
    "sed 'r ../.talaria/.env' a",
    "awk 'BEGIN { while ((getline l < \"/home/ada/.talaria/.env\") > 0) print l }'",
    "docker run -v $HOME/.talaria:/x alpine",
    "docker run -v=$HOME/.talaria:/x alpine",
    "tar -C/home/ada/.talaria -cf - .",
    "cat r/home/ada/.talaria/.env",
    "curl file:///home/ada/.talaria/.env",
    "git --git-dir=/home/ada/.talaria/x status; tool --db=/home/ada/.talaria/state.db",
    "python3 -c 'import os; print(open(os.path.expanduser(\"~/.talaria/.env\")).read())'",
    'python3 -c \'open("/home/ada/.talaria/config.yaml", "w")\'',
    "vim -c 'e /home/ada/.talaria/config.yaml' -c wq",
    "npm start -- chat --yolo",
    "node dist/main.js chat --yolo -q x",
    "node /opt/talaria/dist/main.js --yolo",
    "npm exec talaria -- chat --yolo",
    "npx tsx src/main.ts chat --yolo",
    "bash -c 'npm start -- chat --yolo'",
    "TALARIA_APPROVALS_MODE=yolo npm start",
    "env TALARIA_APPROVALS_MODE=yolo talaria chat",
    "export TALARIA_APPROVALS_MODE=yolo",
  ])("%s", (command) => expect(verdict(command)).toBe("refuse"));

  it("and asked about where they only start", () => {
    expect(verdict("npm exec talaria sessions list")).toBe("terminal:own-program");
    expect(verdict("npm exec -- talaria chat")).toBe("terminal:own-program");
  });
});

describe("ordinary writing runs without a question", () => {
  it.each([
    'python3 -c \'open("out.txt","w").write("a")\'',
    "python3 -c 'print(open(\"/etc/hosts\").read())'",
    'python3 -c \'import json; json.dump({}, open("a/b.json", "w"))\'',
    'python3 -c \'print("/".join(["a", "b"]))\'',
    'node -e \'fs.writeFileSync("a", x.split("/").join("-"))\'',
    "node -e 'fs.mkdirSync(\"./a/b\", { recursive: true })'",
    "node -p 'require(\"./package.json\").version'",
    "python3 script.py --out dist",
    "node script.js",
    "python3 script.py",
    "awk '{print > \"out.txt\"}' file",
    "awk '$1 > 5 { print $2 }' file",
    "sed -i 's/a/b/' src/a.ts",
    "sed -n 'w out.txt' file",
    "tar xf x.tar",
    "tar xf x.tar -C sub",
    "tar czf dist.tgz dist",
    "tar xf x.tar -C /tmp/x",
    "unzip x.zip -d sub",
    "zip -r x.zip src",
    "git clone https://example.org/x.git",
    "git clone https://example.org/x.git sub/x",
    "git init",
    "git init sub",
    "git worktree list",
    "find . -name '*.ts' -print0",
    "mv a b sub/",
    "mv /tmp/x .",
    "cp /etc/hosts hosts.txt",
    "cp a.txt b.txt",
    "cat a > /dev/null",
    "cp a /dev/null",
    "curl -sSLo x.json https://example.org",
    "wget -O x.html https://example.org",
    "sort -o a a",
    "gcc a.c -o a",
    "go build -o bin/x ./cmd/x",
    "npx esbuild a.ts --outfile=dist/a.js",
    "npx tsc --outDir dist",
    "npm start",
    "npm start -- --port 3000",
    "node main.js",
    "grep -rn -- --yolo src/main.ts",
    "git log --grep=--yolo",
    "mkdir -p a/b && touch a/b/c",
    "npm test && git commit -am 'write /etc/hosts docs'",
    "echo 'PORT=1' > .env",
    "cat .env",
    "cp .env.example .env",
    "sqlite3 state.db .tables",
    "docker compose up -d",
    "docker run --rm -v $PWD:/src alpine ls",
  ])("%s", (command) => expect(verdict(command)).toBe("allow"));
});
