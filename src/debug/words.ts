/** A foreign word. Text that is not a plain word may be a prompt: only its length is shown. */
export function word(text: unknown): string {
  if (typeof text === 'number') return String(text);
  if (typeof text !== 'string') return '?';
  return /^[\w.:/@+-]{1,80}$/.test(text) ? text : `[${text.length} characters]`;
}

export function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** The facts that are there, separated by commas. */
export function listed(...facts: readonly (string | undefined | false)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== false && fact !== '').join(', ');
}
