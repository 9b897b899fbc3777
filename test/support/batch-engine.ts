import { type Answer, type AnsweringServer, type Asked, answeringServer } from './answering-server.ts';

/** The result of one input line: a line of the output file, a line of the error file, or none. */
export interface Verdict {
  readonly output?: unknown;
  readonly error?: unknown;
}

export interface EngineOptions {
  /** States that the batch goes through, one per poll; the last one stays. */
  readonly states?: readonly string[];
  /** Default: an answer for each. */
  readonly judge?: (line: InputLine, index: number) => Verdict;
  /** Answers instead of the engine's own, by method and path. */
  readonly instead?: (asked: Asked) => Answer | undefined;
  /** More fields of the batch object. */
  readonly fields?: object;
  /** Changes the batch object of a poll. */
  readonly alter?: (batch: Readonly<Record<string, unknown>>) => object;
}

export interface InputLine {
  readonly custom_id: string;
  readonly method: string;
  readonly url: string;
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] };
}

export interface BatchEngine extends AnsweringServer {
  /** Lines of the uploaded file. */
  readonly lines: readonly InputLine[];
  /** `POST /files`, in order. */
  readonly calls: readonly string[];
}

/** An answer that repeats the text of the request. */
export function echo(line: InputLine): object {
  return {
    id: `reply-${line.custom_id}`,
    model: line.body.model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `echo ${line.body.messages.at(-1)?.content}` } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** Output line in the expected layout. */
export function answered(line: InputLine): object {
  return { id: `line-${line.custom_id}`, custom_id: line.custom_id, response: { status_code: 200, request_id: 'r1', body: echo(line) }, error: null };
}

/** A small model of the service's batch engine: it accepts the file, passes through its states and serves the result files. */
export async function batchEngine(options: EngineOptions = {}): Promise<BatchEngine> {
  const { states = ['validating', 'in_progress', 'completed'], judge = (line) => ({ output: answered(line) }), instead, fields, alter } = options;
  const files = new Map<string, string>();
  let lines: readonly InputLine[] = [];
  let polls = 0;
  const calls: string[] = [];

  const linesIn = (id: string): number => (files.get(id) ?? '').split('\n').filter(Boolean).length;

  function batch(): object {
    const status = states[Math.min(polls, states.length - 1)];
    const ended = status === 'completed' || status === 'expired' || status === 'cancelled';
    const has = (id: string): string => (ended && files.get(id) ? id : '');
    return {
      id: 'batch_1',
      object: 'batch',
      endpoint: '/v4/chat/completions',
      input_file_id: 'input_1',
      status,
      output_file_id: has('output_1'),
      error_file_id: has('error_1'),
      request_counts:
        polls === 0
          ? null
          : { total: lines.length, ...(ended ? { completed: linesIn('output_1'), failed: linesIn('error_1') } : { completed: polls, failed: 0 }) },
      ...fields,
    };
  }

  function engine({ method, path, headers, text }: Asked): Answer {
    const call = `${method} ${path}`;
    if (call === 'POST /files') {
      const parts = formParts(text, headers['content-type'] ?? '');
      lines = (parts.get('file') ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      files.clear();
      const verdicts = lines.map(judge);
      for (const [id, side] of [
        ['output_1', 'output'],
        ['error_1', 'error'],
      ] as const)
        files.set(
          id,
          verdicts
            .map((one) => one[side])
            .filter((one) => one !== undefined)
            .map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`)
            .join(''),
        );
      return { body: { id: 'input_1', object: 'file', purpose: parts.get('purpose'), filename: 'requests.jsonl' } };
    }
    if (call === 'POST /batches') return { body: batch() };
    if (call === 'GET /batches/batch_1') {
      polls++;
      return { body: alter?.({ ...batch() }) ?? batch() };
    }
    const file = /^GET \/files\/(\w+)\/content$/.exec(call)?.[1];
    const content = file === undefined ? undefined : files.get(file);
    if (content !== undefined) return { headers: { 'content-type': 'application/octet-stream' }, body: content };
    return { status: 404, body: { error: { code: '1214', message: 'No such thing.' } } };
  }

  const server = await answeringServer((asked) => {
    calls.push(`${asked.method} ${asked.path}`);
    return instead?.(asked) ?? engine(asked);
  });
  return {
    url: server.url,
    asked: server.asked,
    calls,
    get sockets() {
      return server.sockets;
    },
    get abandoned() {
      return server.abandoned;
    },
    get lines() {
      return lines;
    },
  };
}

/** The parts of a multipart body by name. */
export function formParts(text: string, contentType: string): Map<string, string> {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? '';
  const parts = new Map<string, string>();
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]+)"/.exec(head)?.[1];
    if (name) parts.set(name, rest.join('\r\n\r\n').replace(/\r\n$/, ''));
  }
  return parts;
}
