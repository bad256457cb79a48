/** `talaria version`: what is running, for a person or a bug report. */
import { addExamples, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command.action(() => {
    const versions = {
      talaria: context.version,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      home: context.home.root,
    };
    if (context.out.json) return context.out.document(versions);
    for (const [name, value] of Object.entries(versions)) context.out.line(`${name.padEnd(9)} ${value}`);
  });
  addExamples(command, [
    ["talaria version", "for people"],
    ["talaria version --json", "for a bug report"],
  ]);
};
