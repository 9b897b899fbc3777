// Conversations that strict services refuse: calls without a result, results without a call, arguments that are not JSON. No evidence shows whether the
// service refuses the first two; reports say that it refuses the last.
import type { Route } from '../../generated/routes.ts';
import { unreadableArguments } from '../../overlay/errors/advice.ts';
import { type Fields, fieldsOf, listOf } from '../../overlay/json/json-value.ts';
import { inputItems } from './input-items.ts';
import type { Refusal } from './refusal.ts';

/** The calls that one message or item requests or answers. */
interface CallStep {
  readonly path: string;
  /** Ids of the calls that it requests. */
  readonly asked: readonly unknown[];
  /** Ids of the calls that it answers. */
  readonly answered: readonly unknown[];
  /** Whether the calls before it must be answered by now. */
  readonly closes: boolean;
}

/** The error for a conversation whose calls cannot be read, or do not match their results. `history` has the items of the stored response that it continues. */
export function openCall(route: Route, body: unknown, history: readonly unknown[]): Refusal | undefined {
  const unread = unreadableArguments(body);
  // The service names no field.
  if (unread !== undefined) return { status: 400, code: '1210', message: 'API request parameter error.', reason: `${unread} is not JSON` };
  const { messages, input } = fieldsOf(body);
  const steps =
    route.surface === 'chat'
      ? chatSteps(messages)
      : route.surface === 'messages'
        ? messageSteps(messages)
        : itemSteps([...history, ...inputItems(input)]);
  const open: unknown[] = [];
  for (const { path, asked, answered, closes } of steps) {
    for (const id of answered) {
      const at = open.indexOf(id);
      if (at === -1) return refusal(`${path} is the result of ${JSON.stringify(id)}, which no call before it has.`);
      open.splice(at, 1);
    }
    if (closes && open.length > 0) return refusal(`The call ${JSON.stringify(open[0])} has no result before ${path}.`);
    open.push(...asked);
  }
  return open.length > 0 ? refusal(`The call ${JSON.stringify(open[0])} has no result.`) : undefined;
}

function refusal(message: string): Refusal {
  return { status: 400, code: '1214', message };
}

function stepsOf(list: unknown, name: string, step: (entry: Fields) => Omit<CallStep, 'path'>): CallStep[] {
  return listOf(list).map((entry, index) => ({ path: `${name}[${index}]`, ...step(fieldsOf(entry)) }));
}

function chatSteps(messages: unknown): CallStep[] {
  return stepsOf(messages, 'messages', ({ role, tool_calls: calls, tool_call_id: id }) => ({
    // Calls of other kinds have run at the service.
    asked: ofType(calls, 'function').map((call) => call['id']),
    answered: role === 'tool' ? [id] : [],
    closes: role !== 'tool',
  }));
}

function messageSteps(messages: unknown): CallStep[] {
  return stepsOf(messages, 'messages', ({ content }) => ({
    asked: ofType(content, 'tool_use').map((block) => block['id']),
    answered: ofType(content, 'tool_result').map((block) => block['tool_use_id']),
    closes: true,
  }));
}

/** The results may come anywhere after their calls. */
function itemSteps(items: readonly unknown[]): CallStep[] {
  return stepsOf(items, 'input', ({ type, call_id: id }) => ({
    asked: type === 'function_call' ? [id] : [],
    answered: type === 'function_call_output' ? [id] : [],
    closes: false,
  }));
}

function ofType(list: unknown, type: string): Fields[] {
  return listOf(list)
    .map(fieldsOf)
    .filter((entry) => entry['type'] === type);
}
