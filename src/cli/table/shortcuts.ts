/** Words that users of similar programs type, and the commands that they mean. */
const shortcuts: ReadonlyMap<string, readonly string[]> = new Map([
  ['ask', ['chat']],
  ['prompt', ['chat']],
  ['keys', ['accounts']],
  ['auth', ['accounts']],
  ['login', ['accounts', 'add']],
  ['embed', ['embeddings', 'create']],
]);

/** The words of a command line with the command that a shortcut at this place means. */
export function withoutShortcut(words: readonly string[], at: number): readonly string[] {
  const meant = shortcuts.get(words[at] ?? '');
  return meant === undefined ? words : [...words.slice(0, at), ...meant, ...words.slice(at + 1)];
}
