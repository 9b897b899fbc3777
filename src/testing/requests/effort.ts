import { effortFacts } from '../../generated/effort.ts';
import type { ModelRow } from '../../generated/models.ts';
import type { Route } from '../../generated/routes.ts';
import { familyOf } from '../../overlay/errors/model-family.ts';
import { fieldsOf } from '../../overlay/json/json-value.ts';
import { catalogueRow } from '../../overlay/monitor/model-info.ts';
import type { FakeRequest } from './request.ts';

/** How deep the model thinks about a request. Undefined for models without efforts. */
export type Effort = 'off' | 'low' | 'high' | 'max';

/** Output tokens of thinking about an easy question, as reported of glm-5.3. */
export const thoughtTokens: Readonly<Record<Effort, number>> = { off: 0, low: 2, high: 7, max: 104 };

/** The model that answers: on the coding root, another one answers for some models. */
export function servedModel({ root, body }: FakeRequest): string | undefined {
  const { model } = fieldsOf(body);
  if (typeof model !== 'string') return undefined;
  return root === 'coding' ? (catalogueRow(model)?.plan_model ?? model) : model;
}

/** The row whose thinking a model has: its own, or its family's. */
function thinkingRow(model: string): ModelRow | undefined {
  const row = catalogueRow(model);
  return row?.thinking ? row : catalogueRow(familyOf(model, Object.keys(effortFacts)));
}

/** The reason why the platform root refuses the thinking of a chat request. The coding root and the message surface fold it. */
export function refusedThinking(route: Route, request: FakeRequest): string | undefined {
  const { model, thinking, reasoning_effort: effort, reasoning } = fieldsOf(request.body);
  const row = typeof model === 'string' ? thinkingRow(model) : undefined;
  if (route.id === 'responses.create' && row?.effort_checked?.includes('responses')) {
    const { effort: word } = fieldsOf(reasoning);
    return word === undefined || word === null || row.effort?.some((one) => one === word)
      ? undefined
      : `reasoning.effort is not one of ${row.effort?.join(', ')}`;
  }
  if (!route.id.startsWith('chat.') || request.root === 'coding' || !row?.effort_checked?.includes('platform')) return undefined;
  const { type } = fieldsOf(thinking);
  if (type !== undefined && type !== 'enabled') return `thinking.type is not enabled, and ${row.id} always thinks`;
  const isLegal = effort === undefined || row.effort?.some((word) => word === effort);
  return isLegal ? undefined : `reasoning_effort is not one of ${row.effort?.join(', ')}`;
}

/** The effort at which the model thinks, after the folding of the root. */
export function servedEffort(route: Route, request: FakeRequest): Effort | undefined {
  const row = thinkingRow(servedModel(request) ?? '');
  if (!row?.effort) return undefined;
  const body = fieldsOf(request.body);
  if (route.surface === 'responses') {
    // Reported: `none` and `minimal` think at least as long as `max`.
    const { effort } = fieldsOf(body['reasoning']);
    return effort === 'low' ? (row.thinking === 'always' ? 'low' : 'high') : effort === 'medium' || effort === 'high' ? 'high' : 'max';
  }
  const isMessages = route.surface === 'messages';
  const word = isMessages ? fieldsOf(body['output_config'])['effort'] : body['reasoning_effort'];
  const type = body['thinking'] === false ? 'off' : fieldsOf(body['thinking'])['type'];
  return effortOf(row, word, type === 'disabled' || type === 'none' || type === 'off', isMessages);
}

function effortOf({ thinking }: ModelRow, word: unknown, isOff: boolean, isMessages: boolean): Effort {
  if (thinking === 'always') {
    if (word === undefined) return isOff ? 'low' : 'max';
    return word === 'none' || word === 'minimal' || word === 'low' ? 'low' : word === 'medium' || word === 'high' ? 'high' : 'max';
  }
  if (isOff || word === 'none' || word === 'minimal') return 'off';
  if (word === undefined && isMessages) return 'high';
  return word === 'low' || word === 'medium' || word === 'high' ? 'high' : 'max';
}
