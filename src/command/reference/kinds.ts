/** The kinds of references a prompt may hold. */
export const REFERENCE_KINDS = [
  { text: "@file:", about: "a file, or lines of one: @file:src/main.ts:10-20" },
  { text: "@folder:", about: "what is in a folder" },
  { text: "@diff", about: "changes that are not staged" },
  { text: "@staged", about: "changes that are staged" },
  { text: "@git:", about: "the last commits: @git:3" },
  { text: "@url:", about: "a page of the web" },
] as const;
