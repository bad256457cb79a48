import { describe, expect, it } from "vitest";
import { judgeCommand } from "./commands.js";

const places = { cwd: "/home/ada/work", personHome: "/home/ada", home: "/home/ada/.talaria", hostPid: 4711 };

function verdict(command: string, given = places): string {
  const guard = judgeCommand(command, given);
  return guard.kind === "ask" ? guard.grant : guard.kind;
}

describe("[AP-23] our home is not read, copied or packed whole", () => {
  it.each([
    "cp -r ~/.talaria c",
    "cp -a $TALARIA_HOME c",
    "cp -rt c ~/.talaria",
    "mv ~/.talaria x",
    "tar c ~/.talaria",
    "tar czf x.tgz -C ~ .talaria",
    "tar --create --directory=/home/ada .talaria",
    "rsync -a ~/.talaria/ x",
    "grep -r KEY ~/.talaria",
    "rg KEY ~/.talaria",
    "find ~/.talaria -type f -exec cat {} +",
    "find ~/.talaria | xargs cat",
    "zip -r x.zip ~/.talaria",
    "7z a x.7z ~/.talaria",
    "diff -r ~/.talaria empty",
    "docker run -v $HOME/.talaria:/x alpine",
    "docker run --mount type=bind,source=/home/ada/.talaria,target=/x alpine",
    "cd ~ && cp -r .talaria work/c",
    "ln -s ~/.talaria x",
    "python3 -m http.server -d ~/.talaria",
    "xargs -a ~/.talaria/.env echo",
    "env -C ~/.talaria cat .env",
    "sudo --chdir=/home/ada/.talaria cat .env",
    "ls -d ~/.*/ | xargs -I{} cat {}/.env",
    "node -e 'fs.readFileSync(os.homedir() + \"/.talaria/.env\")'",
    'python3 -c \'print((Path.home() / ".talaria" / ".env").read_text())\'',
    'echo \'open(os.environ["HOME"] + "/.talaria/state.db")\' | python3',
    "ln ~/.talaria/config.yaml x",
  ])("%s", (command) => expect(verdict(command)).toBe("refuse"));
});

describe("[AP-24] what our home is in is asked about", () => {
  it.each([
    ["cp -r ~ ./copy", "home-copy"],
    ["cp -r ~/. ./copy", "home-copy"],
    ["cp -r ~/.* ./copy", "home-copy"],
    ["tar c ~", "home-copy"],
    ["tar cf x.tar -C / home", "home-copy"],
    ["rsync -a ~/ x", "home-copy"],
    ["grep -r x ~", "home-copy"],
    ["grep -rn x ..", "home-copy"],
    ["cd ~; grep -r x", "home-copy"],
    ["rg --hidden x ~", "home-copy"],
    ["find ~ -exec cat {} +", "home-copy"],
    ["find ~ -type f | xargs grep key", "home-copy"],
    ["find ~ -type f | while read f; do cat $f; done", "home-copy"],
    ["find ~ | cpio -o", "home-copy"],
    ["zip -r x.zip /home", "home-copy"],
    ["python3 -m http.server -d ~", "home-copy"],
    ["cd ~ && python3 -m http.server 8000", "home-copy"],
    ["docker run -v ~:/x alpine", "home-copy"],
    ["ln -s / r", "link-outside"],
    ["ln -s ~ r", "link-outside"],
    ["ln -s ../other r", "link-outside"],
    ["ln -sfn /usr/share/x r", "link-outside"],
    ["ln -s ../../x sub/r", "link-outside"],
    ["ln /home/ada/other r", "link-outside"],
    ["cp -s /home/ada/other r", "link-outside"],
    ['ln -s "$X" r', "link-outside"],
  ])("%s → %s", (command, kinds) => expect(verdict(command)).toBe(`terminal:${kinds}`));
});

describe("ordinary reads, copies and links run without a question", () => {
  it.each([
    "cp -r src copy",
    "cp -r ../other/src .",
    "cp -r ~/templates/x .",
    "mv src lib",
    "tar czf ../work/x.tgz .",
    "tar xzf x.tgz",
    "tar czf x.tgz -C ~ templates",
    "tar tf x.tgz",
    "rsync -a src/ dist/",
    "grep -rn x src",
    "grep -r / src",
    "grep x ~/notes.txt",
    "rg x",
    "rg x ~",
    "find ~ -name '*.pdf'",
    "find . -type f -exec wc -l {} +",
    "find src -type f | xargs grep x",
    "zip -r x.zip dist",
    "diff -r a b",
    "python3 -m http.server 8000",
    "env -C sub npm test",
    "ls src | xargs -I{} cat src/{}",
    "docker run -v $PWD:/x alpine",
    "ln -s a b",
    "ln -s ../lib/a sub/b",
    "ln -sf $PWD/a b",
    "ln -s /tmp/a b",
  ])("%s", (command) => expect(verdict(command)).toBe("allow"));
});
