export interface Heading {
  /** Line of the page. */
  readonly line: number;
  readonly level: number;
  readonly title: string;
  /** The `#anchor` that the repository host gives it. */
  readonly anchor: string;
}

/** The headings of a page, in order, without lines of code. */
export function headingsOf(text: string): Heading[] {
  const seen = new Map<string, number>();
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, (code) => '\n'.repeat(code.split('\n').length - 1));
  return [...prose.matchAll(/^(#{1,6}) +(.+?) *$/gm)].map(({ index, 1: marks = '', 2: title = '' }) => {
    const slug = slugOf(title);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return { line: prose.slice(0, index).split('\n').length, level: marks.length, title, anchor: times === 0 ? slug : `${slug}-${times}` };
  });
}

export function slugOf(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('*', '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
