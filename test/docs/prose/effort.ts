/** Programs that ask a model without `effort`: the service then thinks at its most expensive level. */
import ts from '../../../scripts/typescript.mjs';
import type { Snippet } from '../snippets.ts';

/** Fields that choose how deep a model thinks, here and in other clients. */
const chosen = ['effort', 'thinking', 'reasoning', 'reasoning_effort', 'output_config', 'providerOptions'];

/** Models that do not think. */
const plain = /^(embedding|moderation|glm-tts|glm-asr|glm-ocr|glm-image|cogv|cogview|rerank|vidu)/;

/** Calls that run no model. */
const counts = /\.(tokenize|countTokens)$/;

/** A program that asks a fake, or another server on this machine. */
const local = /\bstartFakeService\(|127\.0\.0\.1/;

/** The requests of a program that choose no effort: the line of each, in the file. */
export function withoutEffort({ line, code }: Snippet): number[] {
  if (local.test(code)) return [];
  const source = ts.createSourceFile('program.ts', code, ts.ScriptTarget.Latest, true);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (isRequest(node) || isSimple(node)) found.push(line + source.getLineAndCharacterOfPosition(node.getStart()).line);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A literal with a model and the messages or the input of a conversation. A spread may have the effort. */
function isRequest(node: ts.Node): boolean {
  if (!ts.isObjectLiteralExpression(node) || (ts.isCallExpression(node.parent) && counts.test(node.parent.expression.getText()))) return false;
  const names = node.properties.map((one) => one.name?.getText() ?? '...');
  if (!names.includes('model') || !(names.includes('messages') || names.includes('input'))) return false;
  const model = node.properties.find((one) => one.name?.getText() === 'model');
  const id = model && ts.isPropertyAssignment(model) && ts.isStringLiteral(model.initializer) ? model.initializer.text : '';
  return !plain.test(id) && !names.some((name) => name === '...' || chosen.includes(name));
}

/** A call of `createSimple` whose last argument has no effort. */
function isSimple(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'createSimple') return false;
  const last = node.arguments.at(-1);
  return !(last && ts.isObjectLiteralExpression(last) && last.properties.some((one) => chosen.includes(one.name?.getText() ?? '')));
}
