import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));

/** The page whose fences need the frameworks of `npm run test:frameworks`, and the folder of these below the root. */
export const frameworks = { page: 'docs/guides/frameworks.md', folder: 'bench/fetch-adapter/' } as const;

export const hasFrameworks: boolean = existsSync(`${root}${frameworks.folder}node_modules`);

/** The page for coding agents. */
export const skillPage = 'skills/modelsvc/SKILL.md';

/** A code block of a Markdown file. */
export interface Snippet {
  /** File below the root, and the line of the first line of code. */
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The READMEs, CONTRIBUTING.md, the page for coding agents and every page of docs/, except the reports of the public surface. */
export function pages(): string[] {
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).sort();
  return [
    ...['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', skillPage].filter((name) => existsSync(root + name)),
    ...docs.map((name) => `docs/${name}`),
  ].filter((file) => file.endsWith('.md') && !file.includes('/api-report/'));
}

/** TypeScript and YAML files below a folder of the project. */
export function sourcesBelow(folder: string): string[] {
  const names = readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => /\.(?:ts|yaml)$/.test(name)).map((name) => `${folder}/${name}`);
}

export function textOf(file: string): string {
  return readFileSync(root + file, 'utf8');
}

/** The blocks of a file that are fenced as `language`. */
export function snippetsOf(file: string, language: string): Snippet[] {
  const text = textOf(file);
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map(({ index, 1: code = '' }) => ({ file, line: text.slice(0, index).split('\n').length + 1, code }));
}

/** The cells of a Markdown table row. */
export function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
