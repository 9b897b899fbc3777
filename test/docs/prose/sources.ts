/** Prose inside a TypeScript source: doc comments, line comments, and texts of at least three words, which are messages. */
import ts from '../../../scripts/typescript.mjs';
import { markdownPassages, type Passage, plain } from './passage.ts';

export function sourcePassages(file: string, text: string, withMessages: boolean): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const comments = commentPassages(file, text, commentsOf(source), lineOf);
  return withMessages ? [...comments, ...messagePassages(file, source, lineOf)] : comments;
}

function commentsOf(source: ts.SourceFile): ts.CommentRange[] {
  const text = source.text;
  const found = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length > 0) return children.filter((child) => !ts.isJSDoc(child)).forEach(visit);
    const ranges = [...(ts.getTrailingCommentRanges(text, node.pos) ?? []), ...(ts.getLeadingCommentRanges(text, node.pos) ?? [])];
    for (const range of ranges) found.set(range.pos, range);
  };
  visit(source);
  return [...found.values()].sort((a, b) => a.pos - b.pos);
}

function commentPassages(file: string, text: string, comments: readonly ts.CommentRange[], lineOf: (position: number) => number): Passage[] {
  const blocks: { line: number; lines: string[]; isLine: boolean }[] = [];
  for (const { pos, end, kind } of comments) {
    const line = lineOf(pos);
    const isSingle = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const isLine = isSingle && /(^|\n)[ \t]*$/.test(text.slice(0, pos));
    const words = text.slice(pos, end);
    if (/biome-ignore|@ts-|<reference|@__PURE__|#__PURE__|eslint|@vitest/.test(words)) continue;
    const lines = isSingle ? [words.replace(/^\/\/+ ?/, '')] : bodyOf(words);
    const last = blocks.at(-1);
    // Line comments on neighboring lines are one text.
    if (isLine && last?.isLine && last.line + last.lines.length === line) last.lines.push(...lines);
    else blocks.push({ line, lines, isLine });
  }
  return blocks.flatMap(({ line, lines }) => markdownPassages(file, lines, line));
}

function bodyOf(comment: string): string[] {
  return comment
    .replace(/^\/\*+/, '')
    .replace(/\*+\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .map((line, index) => (index === 0 ? line.trimStart() : line));
}

function messagePassages(file: string, source: ts.SourceFile, lineOf: (position: number) => number): Passage[] {
  const passages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const message = messageIn(node);
    if (message !== undefined && isProse(message)) passages.push({ file, line: lineOf(node.getStart(source)), text: plain(message) });
    if (!ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

/** The text of a literal, each inserted value being one word. */
function messageIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text + node.templateSpans.map((span) => `\`x\`${span.literal.text}`).join('') : undefined;
}

/** Three words in a row. An indented line marks code, for instance a script for a shell. */
function isProse(text: string): boolean {
  return !/\n[ \t]+\S/.test(text) && (text.match(/(?<=^|\s)[\p{L}'-]+(?=[\s.,;:)]|$)/gu) ?? []).length >= 3;
}
