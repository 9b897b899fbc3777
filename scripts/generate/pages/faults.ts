/** The menu of faults of `modelsvc/testing` from its doc comments: a table, and the texts of `modelsvc help faults`. */
import ts from '../../typescript.mjs';
import { banner, SpecError } from '../document/source.ts';
import { declarationsOf, parse } from './declarations.ts';
import { withPart } from './page-parts.ts';

/** Written by hand, except for its table. */
export const testingGuide = 'docs/guides/testing.md';

interface FaultRow {
  /** `slowDrip(bytesPerTick = 16, ms = 5)`; the name alone without parameters. */
  readonly signature: string;
  readonly text: string;
}

function faultRows(): readonly FaultRow[] {
  const menu = declarationsOf(parse('testing/faults.ts')).get('faults');
  let value = menu && ts.isVariableDeclaration(menu) ? menu.initializer : undefined;
  if (value && ts.isAsExpression(value)) value = value.expression;
  if (!value || !ts.isObjectLiteralExpression(value)) throw new SpecError('testing/faults.ts: `faults` is not an object of functions');
  return value.properties.map((property) => {
    const name = property.name?.getText() ?? '';
    if (!ts.isPropertyAssignment(property) || !ts.isArrowFunction(property.initializer))
      throw new SpecError(`testing/faults.ts: ${name} is not a function`);
    const [doc] = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
    const text = (ts.getTextOfJSDocComment(doc?.comment) ?? '').replaceAll(/\s+/g, ' ');
    if (text === '') throw new SpecError(`testing/faults.ts: ${name} has no doc comment`);
    const parameters = property.initializer.parameters.map(parameterText).join(', ');
    return { signature: parameters === '' ? name : `${name}(${parameters})`, text };
  });
}

/** A parameter with its default, if that is short. */
function parameterText({ name, dotDotDotToken, initializer, questionToken }: ts.ParameterDeclaration): string {
  if (dotDotDotToken) return `...${name.getText()}`;
  // The command line reads digits alone.
  const value = (initializer?.getText() ?? '').replace(/(?<=\d)_(?=\d)/g, '');
  const isShort = initializer !== undefined && ts.isLiteralExpression(initializer) && value.length < 15;
  return isShort ? `${name.getText()} = ${value}` : `${name.getText()}${initializer || questionToken ? '?' : ''}`;
}

/** The file with the rows for the command line. */
export function faultsFile(): string {
  const rows = faultRows().map(({ signature, text }) => `  [${JSON.stringify(signature)}, ${JSON.stringify(text)}],\n`);
  return `${banner}
/** Each fault of the menu with its parameters, and its effect. */
export const faultTexts: readonly (readonly [signature: string, text: string])[] = [
${rows.join('')}];
`;
}

/** The guide to tests with a new table of faults between its markers. */
export function withFaults(page: string): string {
  const rows = faultRows().map(({ signature, text }) => `| \`${signature.replaceAll('|', '\\|')}\` | ${text.replaceAll('|', '\\|')} |`);
  return withPart(testingGuide, page, 'faults', ['| fault | effect |', '|---|---|', ...rows].join('\n'));
}
