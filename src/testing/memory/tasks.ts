import { examples } from '../../generated/examples.ts';
import type { Route } from '../../generated/routes.ts';
import { type Fields, fieldsOf } from '../../overlay/json/json-value.ts';
import { type Checks, is, object, oneOf, text, texts } from '../checks.ts';
import { servedLinks } from '../replies/media.ts';
import { askedId } from '../requests/asked-id.ts';
import type { FakeRequest } from '../requests/request.ts';

/** Kinds of work that the service does in the background. */
export type TaskKind = 'chat' | 'image' | 'video' | 'agent' | 'parser' | 'batch';

/** The course of one background task. */
export interface TaskScript {
  /**
   * Kind of the task. Default: the next one created, except agents; with an id, also the one of the first poll. Agents answer immediately
   * unless scripted with `kind: 'agent'`.
   */
  readonly kind?: TaskKind | undefined;
  /** Id of the task. With an id, polls work before the task is created. Default: a generated id. */
  readonly id?: string | undefined;
  /** The status of each poll, in order. The last one repeats. Default: running, then success, with the status values of the kind. */
  readonly states?: readonly string[] | undefined;
  /** Fields of the reply in the last state. They override the spec's example. */
  readonly result?: object | undefined;
}

/** The rules of a TaskScript. */
export const taskChecks: Checks<TaskScript> = {
  kind: oneOf(['chat', 'image', 'video', 'agent', 'parser', 'batch'] satisfies TaskKind[]),
  id: text,
  states: is((value) => texts(value) === undefined && (value as unknown[]).length > 0, 'must be a list of one state or more'),
  result: object,
};

interface Family {
  readonly create: string;
  /** Example of the reply that contains the task id. */
  readonly accepted: string;
  readonly poll: string;
  /** Field of the task id in replies. */
  readonly idField: string;
  readonly stateField: string;
  readonly states: readonly string[];
  /** Example of the poll in each state. */
  readonly examples: Readonly<Record<string, string>>;
}

const job = { poll: 'client.getAsyncResult', idField: 'id', stateField: 'task_status', states: ['PROCESSING', 'SUCCESS'] } as const;

const families: Readonly<Record<TaskKind, Family>> = {
  chat: { ...job, create: 'chat.createAsync', accepted: 'processing', examples: { PROCESSING: 'processing', SUCCESS: 'chat', FAIL: 'failed' } },
  image: { ...job, create: 'images.generateAsync', accepted: 'accepted', examples: { PROCESSING: 'processing', SUCCESS: 'image', FAIL: 'failed' } },
  video: { ...job, create: 'videos.generate', accepted: 'accepted', examples: { PROCESSING: 'processing', SUCCESS: 'video', FAIL: 'failed' } },
  agent: {
    create: 'agents.invoke',
    accepted: 'async',
    poll: 'agents.asyncResult',
    idField: 'async_id',
    stateField: 'status',
    states: ['pending', 'success'],
    examples: { pending: 'pending', success: 'success', failed: 'failed' },
  },
  parser: {
    create: 'fileParser.create',
    accepted: 'started',
    poll: 'fileParser.result',
    idField: 'task_id',
    stateField: 'status',
    states: ['processing', 'succeeded'],
    examples: { processing: 'processing', succeeded: 'text', failed: 'failed' },
  },
  batch: {
    create: 'batch.create',
    accepted: 'validating',
    poll: 'batch.retrieve',
    idField: 'id',
    stateField: 'status',
    states: ['validating', 'in_progress', 'completed'],
    examples: { completed: 'completed', failed: 'failed' },
  },
};

const kinds = Object.keys(families) as TaskKind[];

interface FakeTask {
  /** Undefined until a task without a kind is polled. */
  kind: TaskKind | undefined;
  /** Empty for the states of the kind. */
  readonly states: string[];
  result: object;
  /** Facts of the request that replies repeat. */
  readonly asked: Fields;
}

/** The background tasks of a fake: scripts for the next tasks, and the remaining states of created ones. */
export class TaskBook {
  #scripts: TaskScript[] = [];
  readonly #tasks = new Map<string, FakeTask>();

  script(script: TaskScript): void {
    this.#scripts.push(script);
    if (script.id !== undefined) this.#open(script.id, script.kind, script);
  }

  clear(): void {
    this.#scripts = [];
    this.#tasks.clear();
  }

  /** Adds facts to the last state of a task. Facts of its script take precedence. */
  complete(id: string, facts: object): void {
    const task = this.#tasks.get(id);
    if (task) task.result = { ...facts, ...task.result };
  }

  /** The reply of an operation that starts or polls a task, with links below `origin`. Undefined for other operations. */
  reply(route: Route, request: FakeRequest, origin: string): object | undefined {
    const kind = kinds.find((one) => families[one].create === route.id);
    if (kind !== undefined) return this.#create(kind, request);
    const polled = kindOf(route);
    return polled && this.#poll(polled, askedId(route, request)?.id ?? '', origin);
  }

  #create(kind: TaskKind, request: FakeRequest): object | undefined {
    const index = this.#scripts.findIndex((script) => (script.kind === undefined ? kind !== 'agent' : script.kind === kind));
    if (index < 0 && kind === 'agent') return undefined;
    const [script = {}] = index < 0 ? [] : this.#scripts.splice(index, 1);
    const { accepted, create, idField } = families[kind];
    const id = script.id ?? newId(kind, request.requestId);
    const asked = askedFacts(request);
    this.#open(id, kind, script, asked);
    return { ...withFacts(example(create, accepted), asked), [idField]: id };
  }

  /** True for a poll of a task of another kind. */
  isOther(route: Route, request: FakeRequest): boolean {
    const polled = kindOf(route);
    const task = polled && this.#tasks.get(askedId(route, request)?.id ?? '');
    return task?.kind !== undefined && families[task.kind].poll !== route.id;
  }

  #open(id: string, kind: TaskKind | undefined, { states = [], result = {} }: TaskScript, asked: Fields = {}): void {
    this.#tasks.set(id, { kind, states: [...states], result, asked });
  }

  #poll(polled: TaskKind, id: string, origin: string): object | undefined {
    const family = families[polled];
    const task = this.#tasks.get(id);
    // The task of an example, or of a scripted reply.
    if (!task) return { ...example(family.poll, family.examples[family.states.at(-1) ?? ''] ?? '', origin), [family.idField]: id };
    const kind = (task.kind ??= polled);
    const { states, result } = task;
    if (states.length === 0) states.push(...families[kind].states);
    const isLast = states.length <= 1;
    const state = (isLast ? states[0] : states.shift()) ?? '';
    const { examples: byState, poll, accepted, create, idField, stateField } = families[kind];
    const name = byState[state];
    const found = name === undefined ? example(create, accepted) : example(poll, name, origin);
    return { ...withFacts(found, task.asked), [idField]: id, [stateField]: state, ...(isLast ? result : {}) };
  }
}

/** The first kind of tasks with this poll. */
function kindOf(route: Route): TaskKind | undefined {
  return kinds.find((kind) => families[kind].poll === route.id);
}

let count = 0;

/** An id in the form that the service gives to tasks of this kind. */
function newId(kind: TaskKind, requestId: string): string {
  if (kind === 'parser') return requestId.slice(-20);
  const digits = `${Date.now()}${String(++count).padStart(6, '0')}`;
  return kind === 'agent' ? digits : kind === 'batch' ? `batch_${digits}` : requestId;
}

/** The model and the request id of a request for a task. */
function askedFacts({ body, requestId }: FakeRequest): Fields {
  const { model, request_id: own } = fieldsOf(body);
  return { ...(typeof model === 'string' && { model }), request_id: own ?? requestId };
}

/** The example with those facts that it has. */
function withFacts(found: object, facts: Fields): object {
  return { ...found, ...Object.fromEntries(Object.entries(facts).filter(([name]) => name in found)) };
}

function example(operation: string, name: string, origin = ''): object {
  const found = examples[operation]?.replies['200 application/json']?.[name] ?? {};
  return fieldsOf(JSON.parse(servedLinks(JSON.stringify(found), origin)));
}
