import { outputLimits, outsidePlans, withoutToolChoice } from '../../generated/refusals.ts';
import type { Route } from '../../generated/routes.ts';
import type { Rule } from '../../generated/rules.ts';
import { roleElsewhere } from '../../overlay/call/request/service-words.ts';
import { fieldsOf, listOf } from '../../overlay/json/json-value.ts';
import { misplaced } from '../../overlay/validation/misplaced.ts';
import { type Violation, worstViolation } from '../../overlay/validation/violations.ts';
import { jsonWire, type WireReply } from '../sockets/wire-reply.ts';
import { refusedThinking } from './effort.ts';
import { embeddedShapeOf, envelope, type ServiceError, shapeOf, wordOf } from './envelopes.ts';
import type { KnownModels } from './known-models.ts';
import { type FakeRequest, unreadable } from './request.ts';
import { refusedTool } from './tool-schemas.ts';

/** The text of the service for thinking that the glm-5.3 family does not accept. */
export const alwaysThinks = 'This model always engages in thinking and cannot be disabled; please use low, high, or max';

/** An error with which the service rejects a request, and the reason, if the message does not contain it. */
export interface Refusal extends ServiceError {
  readonly reason?: string;
}

/** The strictness of a fake. */
export interface Strictness {
  readonly keys: readonly string[] | 'any';
  readonly validate: boolean;
  readonly models: KnownModels;
}

/** The error with which the service rejects a request, or undefined if it accepts it. */
export function refusalOf(route: Route, request: FakeRequest, { keys, validate, models }: Strictness): Refusal | undefined {
  const credential = credentialOf(route, request);
  if (credential === undefined) return { status: 401, code: '1001', message: 'The request carries no credential.' };
  if (keys !== 'any' && !keys.includes(credential)) {
    const reason = 'the key is not one of this fake: use fake.configFor(), fakeKey, or the option keys';
    return { status: 401, code: '401', message: 'token expired or incorrect', reason };
  }
  if (!validate) return undefined;
  return (
    refusedOption(route, request) ??
    refusedOutput(route, request) ??
    invalid(route, request) ??
    refusedForm(route, request) ??
    unknownModel(route, request, models) ??
    refusedModel(route, request) ??
    (route.surface === 'chat' ? unreadableTool(request) : undefined)
  );
}

/** The service seems to ignore unknown fields. An option of a call among them is a mistake of the program, which the client refuses there too. */
function refusedOption(route: Route, request: FakeRequest): Refusal | undefined {
  const { body, parameters } = route.rules ?? {};
  const problem =
    misplaced(parameters, parametersOf(route, request)) ?? (route.request === undefined ? undefined : misplaced(body, bodyOf(route, request)));
  return problem && { status: 400, code: '1210', message: problem.message };
}

/** Probed for chat on the platform root only. The text is invented, except that it contains the legal range. */
function refusedOutput(route: Route, { root, body }: FakeRequest): Refusal | undefined {
  const { model, max_tokens: wanted } = fieldsOf(body);
  if (!route.id.startsWith('chat.') || root === 'coding' || typeof model !== 'string' || typeof wanted !== 'number') return undefined;
  const most = Object.hasOwn(outputLimits, model) ? outputLimits[model] : undefined;
  if (most === undefined || wanted <= most) return undefined;
  return { status: 400, code: '1210', message: `The parameter max_tokens is illegal: the legal range of ${model} is [1, ${most}].` };
}

/** Reported, in Chinese for layout parsing: forms that the operation does not take, with code 1214. */
function refusedForm(route: Route, { body }: FakeRequest): Refusal | undefined {
  const { file, response_format: format, messages } = fieldsOf(body);
  const at = route.id.startsWith('chat.') ? listOf(messages).findIndex((message) => fieldsOf(message)['role'] === roleElsewhere) : -1;
  if (at >= 0) {
    const reason = `messages[${at}].role is ${roleElsewhere}; send system, as the client and modelsvc/fetch do with serviceRules`;
    return { status: 400, code: '1214', message: 'Incorrect role information', reason };
  }
  if (route.id === 'layout.parse' && typeof file === 'string' && !/^(https?|data):/i.test(file)) {
    const message = 'Only PDF, JPG and PNG are supported: an image up to 10 MB, a PDF up to 50 MB and 100 pages.';
    return { status: 400, code: '1214', message, reason: 'file is neither a link nor a data URI' };
  }
  if (route.id === 'audio.speech' && format === 'mp3')
    return { status: 400, code: '1214', message: 'response_format', reason: 'only wav and pcm are known' };
  return undefined;
}

/** Embeddings too: one key got 1211 for a documented id, which the account may not use. */
function unknownModel(route: Route, { body }: FakeRequest, models: KnownModels): Refusal | undefined {
  const { model } = fieldsOf(body);
  const problem = models.isAny ? undefined : models.problem(route, body);
  if (problem === undefined && !(typeof model === 'string' && model.endsWith(']'))) return undefined;
  const ways = `pass models: ['${model}'] or models: 'any' to startFakeService, or --models any to the mock`;
  const reason =
    problem === undefined ? `${model} has the mark of a coding tool, which the service does not know` : `${problem} For another, ${ways}`;
  return { status: 400, code: '1211', message: 'Unknown Model, please check the model code.', reason };
}

/** Refusals by the asked model: thinking of the glm-5.3 family, and a model outside the plans. */
function refusedModel(route: Route, request: FakeRequest): Refusal | undefined {
  const { model, tool_choice: choice } = fieldsOf(request.body);
  if (typeof model !== 'string' || (!route.id.startsWith('chat.') && route.id !== 'anthropic.create' && route.id !== 'responses.create'))
    return undefined;
  if (request.root === 'coding' && outsidePlans.includes(model))
    return { status: 429, code: '1311', message: `The current subscription plan does not include ${model}.` };
  const reason = refusedThinking(route, request);
  if (reason !== undefined) return { status: 400, code: '1210', message: alwaysThinks, reason };
  if (route.surface === 'chat' && withoutToolChoice.includes(model) && choice !== undefined && choice !== 'auto')
    return { status: 400, code: '1210', message: 'Tool choice must be auto' };
  return undefined;
}

/** Reported for chat only. No evidence shows that another surface rejects such a schema. */
function unreadableTool({ body, requestId }: FakeRequest): Refusal | undefined {
  const reason = refusedTool(body);
  if (reason === undefined) return undefined;
  return { status: 500, code: '1234', message: `Network error, error id: ${requestId}, please contact customer service.`, reason };
}

/** The reply that rejects a request, in the form that the service uses for the route. */
export function refusalWire(route: Route | undefined, error: ServiceError, id: string): WireReply {
  // Reported: Responses answers a wrong key with HTTP 200, code 1000 and the envelope of the monitor, also when a stream was requested.
  if (route?.surface === 'responses' && error.status === 401)
    return jsonWire(envelope('monitor', { ...error, code: error.code === '401' ? '1000' : error.code }, id));
  if (route?.surface === 'responses') return jsonWire(envelope('responses', { ...error, code: wordOf(error.code) }, id), error.status);
  const embedded = route !== undefined && (shapeOf(route) === 'monitor' || (error.status === 400 && isLenient(route)));
  if (!embedded) return jsonWire(envelope(shapeOf(route), error, id), error.status);
  // Recorded: for invalid input agents report code 400, the parser 500, both with HTTP 200.
  const code = route.surface === 'agents' ? '400' : route.id === 'fileParser.sync' ? '500' : error.code;
  // Recorded: the failure of a task has no id of its own.
  return jsonWire(envelope(embeddedShapeOf(route), { ...error, code }, route.id === 'agents.asyncResult' ? undefined : id));
}

function isLenient(route: Route): boolean {
  return ['agents.invoke', 'agents.asyncResult', 'fileParser.sync'].includes(route.id);
}

function credentialOf(route: Route, request: FakeRequest): string | undefined {
  const header = request.headers['authorization'];
  const bearer = header === undefined ? undefined : /^Bearer (\S+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  // The message surface also accepts `x-api-key`. Monitor also accepts a key without the Bearer scheme.
  if (route.surface === 'messages') return request.headers['x-api-key'];
  return route.surface === 'monitor' && header !== '' ? header : undefined;
}

function invalid(route: Route, request: FakeRequest): ServiceError | undefined {
  if (request.body === unreadable) return { status: 400, code: '1210', message: 'The request body cannot be read.' };
  const violation =
    violationOf(route.rules?.parameters, { ...parametersOf(route, request), ...headersAmong(route, request) }, 'url') ??
    (route.request === undefined
      ? undefined
      : violationOf(route.rules?.body, bodyOf(route, request), route.request === 'multipart' ? 'form' : 'json'));
  if (!violation) return undefined;
  const { path, keyword, wanted } = violation;
  if (keyword !== 'required') return { status: 400, code: '1214', message: `The parameter ${path.join('.')} is not allowed (${keyword}).` };
  const name = [...path, wanted[0]].join('.');
  if (route.id === 'fileParser.sync')
    return { status: 400, code: '1213', message: `Required request parameter '${name}' for method parameter type String is not present` };
  return { status: 400, code: '1213', message: `The parameter ${name} was not received.` };
}

/** The parameters of path and query: a repeated name is a list, and `filter[by]` a field of an object. */
function parametersOf({ pathParameters }: Route, { target, parameters }: FakeRequest): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...parameters };
  const query = new URL(target, 'http://fake').searchParams;
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const [, owner = '', field] = /^([^[]+)\[([^\]]*)\]$/.exec(name) ?? [];
    if (field !== undefined) fields[owner] = { ...fieldsOf(fields[owner]), [field]: values[0] };
    else if (values.length > 1 && !pathParameters.includes(name)) fields[name] = values;
  }
  return fields;
}

function headersAmong({ headerParameters = [] }: Route, { headers }: FakeRequest): Record<string, unknown> {
  return Object.fromEntries(headerParameters.map((name) => [name, headers[name.toLowerCase()]]));
}

function bodyOf(route: Route, request: FakeRequest): unknown {
  const { body } = request;
  if (body === undefined || body instanceof Uint8Array) return {};
  return route.request === 'multipart' && typeof body === 'object' ? { ...body } : body;
}

/** The worst violation. Text of a URL or form is converted to the number or boolean that the spec requires. */
function violationOf(rule: Rule | undefined, value: unknown, from: 'url' | 'form' | 'json'): Violation | undefined {
  for (;;) {
    const violation = rule && worstViolation(rule, value);
    if (!violation || from === 'json' || !convert(violation, value as Record<string, unknown>, from)) return violation;
  }
}

/** A list in a form is sent as JSON text, or as one field per entry. Text that is not JSON is the only entry. */
function listIn(text: string): unknown {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [text];
  } catch {
    return [text];
  }
}

/** Converts the text that a violation is about, in a field or one step inside of it. False if it is not such a text. */
function convert({ path: [name = '', ...inner], keyword, wanted }: Violation, fields: Record<string, unknown>, from: 'url' | 'form'): boolean {
  if (keyword !== 'type') return false;
  const text = fields[name];
  if (inner.length > 0) {
    // A part of JSON in a form has types of its own.
    const copy = Array.isArray(text) ? [...(text as unknown[])] : from === 'url' ? { ...fieldsOf(text) } : {};
    fields[name] = copy;
    return inner.length === 1 && convert({ path: inner, keyword, wanted }, copy as Record<string, unknown>, from);
  }
  // A list of one entry is one part of a form.
  if (wanted.includes('array') && text !== undefined && !Array.isArray(text)) fields[name] = typeof text === 'string' ? listIn(text) : [text];
  else if (typeof text !== 'string') return false;
  else if (wanted.includes('boolean') && (text === 'true' || text === 'false')) fields[name] = text === 'true';
  else if ((wanted.includes('integer') || wanted.includes('number')) && text.trim() !== '' && !Number.isNaN(Number(text)))
    fields[name] = Number(text);
  else return false;
  return true;
}
