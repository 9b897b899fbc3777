// Colors of code, line by line: each line continues the state of the one before, so that none is read twice.
import { c, cpp, csharp, java, kotlin } from '@codemirror/legacy-modes/mode/clike';
import { css } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { type StreamParser, StringStream } from '@codemirror/streamparser';
import type { Paint, Style } from '../terminal.ts';
import { TimeLimit } from './time-limit.ts';

const languages: readonly (readonly [names: string, parser: StreamParser<unknown>])[] = [
  ['js jsx mjs cjs javascript node', javascript],
  ['ts tsx typescript', typescript],
  ['json json5 jsonc jsonl', json],
  ['py python python3', python],
  ['sh bash zsh shell console', shell],
  ['c h', c],
  ['cpp c++ cc hpp', cpp],
  ['java', java],
  ['cs csharp c#', csharp],
  ['kotlin kt', kotlin],
  ['go golang', go],
  ['rust rs', rust],
  ['sql mysql postgresql sqlite', standardSQL],
  ['css scss less', css],
  ['html vue svelte', html],
  ['xml svg', xml],
  ['yaml yml', yaml],
  ['toml ini', toml],
  ['diff patch', diff],
  ['ruby rb', ruby],
  ['dockerfile docker', dockerFile],
];

const looks: readonly (readonly [token: RegExp, style: Style])[] = [
  [/^comment/, 'dim'],
  [/^(?:string|inserted|regexp)/, 'green'],
  [/^keyword/, 'magenta'],
  [/^(?:number|atom|bool|attribute)/, 'yellow'],
  [/^(?:def|type|class|tag|builtin|heading|meta)|definition|function/, 'cyan'],
  [/^deleted/, 'red'],
];

/** A longer line stays plain: it is data. */
const longestLine = 200;

export class Code {
  readonly #paint: Paint;
  readonly #limit: TimeLimit;
  #parser: StreamParser<unknown> | undefined;
  readonly #state: unknown;

  constructor(language: string, paint: Paint, limit: TimeLimit = new TimeLimit()) {
    this.#paint = paint;
    this.#limit = limit;
    this.#parser = languages.find(([names]) => names.split(' ').includes(language.toLowerCase()))?.[1];
    this.#state = this.#parser?.startState?.(2) ?? {};
  }

  line(text: string): string {
    const parser = this.#parser;
    if (!parser || text.length > longestLine) return text;
    const painted = this.#limit.run(text.length, () => this.#painted(text, parser));
    // The next line may be as slow, and after a failure the state is unknown.
    if (!painted || painted.isSlow) this.#parser = undefined;
    return painted?.value ?? text;
  }

  #painted(text: string, parser: StreamParser<unknown>): string {
    if (text === '') parser.blankLine?.(this.#state, 2);
    const stream = new StringStream(text, 4, 2);
    let out = '';
    let still = 0;
    while (!stream.eol()) {
      stream.start = stream.pos;
      const token = parser.token(stream, this.#state);
      // A parser may change only its state, but not for ever.
      if (stream.pos === stream.start && ++still > 10) stream.next();
      if (stream.pos > stream.start) still = 0;
      const style = token === null ? undefined : looks.find(([pattern]) => pattern.test(token))?.[1];
      out += style === undefined ? stream.current() : this.#paint(style, stream.current());
    }
    return out;
  }
}
