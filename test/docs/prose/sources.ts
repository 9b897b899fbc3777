/** Prose inside a source: doc comments, line comments, titles of tests, and texts of at least three words, which are messages. */
import ts from '../../../scripts/typescript.mjs';
import { markdownPassages, type Passage, plain } from './passage.ts';

export function sourcePassages(file: string, text: string, withMessages: boolean): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const comments = commentPassages(file, text, commentsOf(source), lineOf);
  const texts = withMessages ? textPassages(file, source, lineOf, messageIn) : textPassages(file, source, lineOf, titleIn);
  return [...comments, ...texts];
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

function textPassages(
  file: string,
  source: ts.SourceFile,
  lineOf: (position: number) => number,
  textIn: (node: ts.Node) => string | undefined,
): Passage[] {
  const passages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const text = textIn(node);
    if (text !== undefined) passages.push({ file, line: lineOf(node.getStart(source)), text: plain(text) });
    if (!ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return passages;
}

function messageIn(node: ts.Node): string | undefined {
  const text = literalIn(node);
  return text !== undefined && isProse(text) ? text : undefined;
}

/** The title of a test or of a group of tests. */
function titleIn(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node.parent) || node.parent.arguments[0] !== node) return undefined;
  return /^(?:describe|it|test)\b/.test(node.parent.expression.getText()) ? literalIn(node) : undefined;
}

/** The text of a literal, each inserted value being one word. */
function literalIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text + node.templateSpans.map((span) => `\`x\`${span.literal.text}`).join('') : undefined;
}

/** Three words in a row. An indented line marks code, for instance a script for a shell. */
function isProse(text: string): boolean {
  return !/\n[ \t]+\S/.test(text) && (text.match(/(?<=^|\s)[\p{L}'-]+(?=[\s.,;:)]|$)/gu) ?? []).length >= 3;
}
