// Options of the fake service.
import type { ModelRow } from '../../generated/models.ts';
import { fieldsOf } from '../../overlay/json/json-value.ts';
import { type Checks, callback, count, either, integer, is, list, ms, oneOf, texts, truth } from '../checks.ts';
import type { FakeRequest } from '../requests/request.ts';

/** Options of `startFakeService`. All have defaults. */
export interface FakeOptions {
  /** Accepted keys. Other keys get status 401. Default: only `fakeKey`. */
  readonly keys?: readonly string[] | 'any' | undefined;
  /** Check requests against the rules of the spec, and ids, and reject wrong ones as the service does. Default: true. */
  readonly validate?: boolean | undefined;
  /**
   * Models that exist. `known`: models of the catalogue, each for operations of its kind; others get code 1211, as from the service. A list adds
   * ids, or rows of `Config.models`. Default: `known`.
   */
  readonly models?: 'any' | 'known' | readonly (string | ModelRow)[] | undefined;
  /**
   * Tool calls and their results in a conversation. `required`: a call without its result, a result without its call, and arguments that are not
   * JSON are refused, as strict services do. Default: `any`, because no evidence shows what this service does with the first two.
   */
  readonly toolResults?: 'any' | 'required' | undefined;
  /** Without a script, answer with the last text of the user, at most 200 characters of it. Default: false, the text of the spec's example. */
  readonly echo?: boolean | undefined;
  /**
   * Answer from this cassette only, whatever the host and the root of its requests. Other requests get status 417 with the differences from the
   * nearest one. Scripts, keys and checks have no part in it. Default: the rules of the fake.
   */
  readonly replay?: string | URL | undefined;
  /** Number of latest requests to keep. Default: all. */
  readonly keepRequests?: number | undefined;
  /** Bytes of the bodies to keep in `requests`. After an answer, the oldest bodies go first, see `droppedBytes`. Default: all. */
  readonly keepBytes?: number | undefined;
  /** Serve HTTPS with this certificate and key, in PEM. Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined;
  /** Address or name of this machine to listen on. Beyond loopback, others can read what the fake is sent. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Called with each request that the fake refuses, for a log. Its `refusal` has the reason. */
  readonly onRefusal?: ((request: FakeRequest) => void) | undefined;
  /** Called with each request that has ended, for a log. Its `status` and `outcome` are final. */
  readonly onEnd?: ((request: FakeRequest) => void) | undefined;
}

/** Options of `idle`. */
export interface IdleOptions {
  /** Wait until no connection is open, too. Default: false. */
  readonly sockets?: boolean | undefined;
  /** Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const model = is((value) => isText(value) || isText(fieldsOf(value)['id']), '');

export const optionChecks: Checks<FakeOptions> = {
  keys: either("must be 'any' or a list of keys", oneOf(['any']), texts),
  validate: truth,
  models: either("must be 'known', 'any' or a list of ids and rows", oneOf(['known', 'any']), list(model, '')),
  toolResults: oneOf(['any', 'required']),
  echo: truth,
  replay: is((value) => isText(value) || value instanceof URL, 'must be the path of a file'),
  keepRequests: count,
  keepBytes: count,
  tls: is((value) => isText(fieldsOf(value)['cert']) && isText(fieldsOf(value)['key']), 'must have cert and key, in PEM'),
  port: integer(0, 65_535),
  host: is((value) => isText(value) && /^[\w.:%-]+$/.test(value as string), 'must be an address or a name of this machine'),
  onRefusal: callback,
  onEnd: callback,
};

export const idleChecks: Checks<IdleOptions> = { sockets: truth, timeoutMs: ms };
