// The turn of a model that has no script. It follows the tools and the format of the request.
import { examples } from '../../generated/examples.ts';
import type { Route } from '../../generated/routes.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../../overlay/json/json-value.ts';
import { schemaInstruction } from '../../overlay/tools/structured-output.ts';
import { formatOf } from '../requests/answer-format.ts';
import { inputItems } from '../requests/input-items.ts';
import { sampleOf } from './schema-sample.ts';
import type { Turn } from './turn.ts';

/** Shorter words of a tool's name, such as `get`, do not make it fit a question. */
const leastLetters = 4;

/** A call of the forced tool, or of one that the question names. Otherwise JSON if the request asks for it, or the text of the example; with `echo` what was asked. */
export function unscriptedTurn({ id }: Route, body: unknown, echo: boolean = false): Turn {
  const request = fieldsOf(body);
  const tool = calledTool(request);
  if (tool)
    return { toolCalls: [{ name: textOf(tool['name']), arguments: sampleOf(tool['parameters'] ?? tool['input_schema'] ?? { type: 'object' }) }] };
  const question = echo ? questionOf(request) : '';
  const text = question === '' ? exampleText(id) : `mock: you asked "${cut(question)}"`;
  const { type, schema, json_schema: named } = formatOf(request);
  const asked = type === 'json_schema' ? (schema ?? fieldsOf(named)['schema']) : instructedSchema(request);
  if (type === 'json_schema' || asked !== undefined) return { text: JSON.stringify(sampleOf(asked)) };
  const searched = searchedPages(request);
  return { text: type === 'json_object' ? JSON.stringify({ answer: text }) : text, ...(searched && { webSearch: searched }) };
}

/** A page of an allowed domain, if the request has the search of messages. A tool of another version is ignored, as real roots do. */
function searchedPages(request: Fields): Turn['webSearch'] {
  const tool = listOf(request['tools'])
    .map(fieldsOf)
    .find(({ type }) => type === 'web_search_20260209');
  if (!tool || fieldsOf(request['tool_choice'])['type'] === 'none' || questionOf(request) === '') return undefined;
  return [{ title: 'A page', link: `https://${textOf(listOf(tool['allowed_domains'])[0]) || 'example.com'}/` }];
}

function calledTool(request: Fields): Fields | undefined {
  const tools = listOf(request['tools']).flatMap((tool) => {
    const { type = 'custom', ...fields } = fieldsOf(tool);
    const definition = type === 'function' && 'function' in fields ? fieldsOf(fields['function']) : fields;
    return (type === 'function' || type === 'custom') && textOf(definition['name']) !== '' ? [definition] : [];
  });
  const { tool_choice: choice } = request;
  const { type: word = choice, name, function: wanted } = fieldsOf(choice);
  if (word === 'none') return undefined;
  const forced = name ?? fieldsOf(wanted)['name'];
  if (forced !== undefined) return tools.find((tool) => tool['name'] === forced);
  const question = new Set(wordsOf(questionOf(request)));
  const common = (tool: Fields): number => wordsOf(textOf(tool['name'])).filter((word) => question.has(word)).length;
  const best = tools.reduce<Fields | undefined>((found, tool) => (common(tool) > (found ? common(found) : 0) ? tool : found), undefined);
  return best ?? (word === 'required' || word === 'any' ? tools[0] : undefined);
}

/** The last text of the user. Empty after a result of a tool, so that a loop of tools ends. */
function questionOf({ messages, input }: Fields): string {
  const turns = [...listOf(messages), ...inputItems(input)].map(fieldsOf);
  const { role, type = 'message', content } = fieldsOf(turns.findLast((turn) => turn['role'] !== 'system'));
  if (role !== 'user' || type !== 'message') return '';
  if (typeof content === 'string') return content;
  return listOf(content).some((part) => fieldsOf(part)['type'] === 'tool_result') ? '' : textOf(fieldsOf(listOf(content).at(-1))['text']);
}

const mostHeard = 200;

function cut(text: string): string {
  const characters = [...text.slice(0, 2 * mostHeard + 2)];
  return characters.length > mostHeard ? `${characters.slice(0, mostHeard).join('')}…` : text;
}

/** The schema in the instructions of `outputFormat`, wherever the request has them. Undefined if it has none. */
function instructedSchema({ system, instructions, messages, input }: Fields): unknown {
  const contents = [system, instructions, ...[...listOf(messages), ...inputItems(input)].map((turn) => fieldsOf(turn)['content'])];
  const texts = contents.flatMap((content) =>
    typeof content === 'string' ? content : listOf(content).map((part) => textOf(fieldsOf(part)['text'])),
  );
  const [, ...schemas] = texts.findLast((text) => text.includes(schemaInstruction))?.split(schemaInstruction) ?? [];
  try {
    return JSON.parse(schemas.at(-1) ?? '') as unknown;
  } catch {
    return undefined;
  }
}

/** The words of a text or a name: `get_weather` and `getWeather` have `weather`. */
function wordsOf(text: string): string[] {
  const words =
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return words.filter((word) => word.length >= leastLetters);
}

/** The text of the operation's first example. */
function exampleText(operation: string): string {
  const { choices, content, output } = fieldsOf(Object.values(examples[operation]?.replies['200 application/json'] ?? {})[0]);
  const message = fieldsOf(fieldsOf(listOf(choices)[0])['message'])['content'];
  const blocks = [
    ...listOf(content),
    ...listOf(output).flatMap((item) => (fieldsOf(item)['type'] === 'message' ? listOf(fieldsOf(item)['content']) : [])),
  ];
  return textOf(message) || textOf(fieldsOf(blocks[0])['text']);
}
