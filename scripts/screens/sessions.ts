// The sessions of docs/screens.md, as data.
import { type FakeService, faults } from '../../src/testing/index.ts';

/** A line that is typed, keys that are pressed, or work beside the terminal. */
export type Step = (
  | {
      /** Typed with Enter. The next step follows once the screen has `until`, or else the next prompt of the shell. */
      readonly line: string;
      readonly until?: string;
    }
  | {
      /** Keys by their names in tmux, for instance `C-c`, separated by spaces. */
      readonly keys: string;
      readonly until?: string;
    }
  | {
      /** Gets the text of the screen. The next step follows once the screen has `until`. */
      readonly act: (screen: string) => Promise<unknown>;
      readonly until: string;
    }
) & {
  /** Keep the screen after this step. That of the last step is kept always. */
  readonly isShown?: true;
};

export interface ScreenSession {
  readonly title: string;
  /** A sentence or two below the title. */
  readonly text: string;
  /** Size of the terminal. Default: 80 columns, 24 lines. */
  readonly columns?: number;
  readonly lines?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** Scripts the fake service, to which the stored account `work` belongs. */
  readonly script?: (fake: FakeService) => unknown;
  readonly steps: readonly Step[];
  /** Replacements for what differs from run to run, such as rates. */
  readonly replace?: readonly (readonly [pattern: RegExp, text: string])[];
}

const echo = (fake: FakeService): unknown =>
  fake.fallback('chat.create', ({ body }) => ({
    turn: { text: `re ${JSON.stringify(body).match(/(?:row|Translate:) (\w+)/)?.[1]}`, usage: { input: 12, output: 30 } },
  }));

const rows = (count: number): string => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('');

const ask = (url: string, key: string, path = '/chat/completions'): Promise<string> =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'glm-5.3', messages: [{ role: 'user', content: 'Hi' }] }),
  }).then((response) => response.text());

const mockUrl = (screen: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(screen)?.[0] ?? '';

const markdown = `## Tides

The **Moon** pulls the *water* of the sea, see [tides](https://example.org/tides).

| body | pull |
|---|--:|
| Moon | 100 % |
| Sun | 46 % |

\`\`\`js
const highWaters = 2; // a day
\`\`\`

潮汐由月球和太阳的引力引起。
`;

const laidOut = (columns: number): ScreenSession => ({
  title: `An answer at ${columns} columns`,
  text: 'Markdown is laid out as it arrives. Bold text, headings, links and code are in colors.',
  columns,
  script: (fake) => fake.chat.reply(markdown),
  steps: [{ line: 'modelsvc "How do tides work?"' }],
});

export const sessions: readonly ScreenSession[] = [
  {
    title: 'The first page',
    text: 'Without a command there is help. It fits one screen.',
    lines: 26,
    steps: [{ line: 'modelsvc' }],
  },
  {
    title: 'Reflexes',
    text: 'A question needs no command, and a pipe is a question. A slip has a hint and sends no request.',
    script: (fake) => fake.chat.reply('Air scatters blue light most.').reply('Water from clouds.'),
    steps: [
      { line: 'modelsvc "Why is the sky blue?"' },
      { line: 'echo "What is rain?" | modelsvc' },
      { line: 'modelsvc keys list' },
      { line: 'modelsvc modles list' },
      { line: 'modelsvc chat hi --effort hgih' },
    ],
  },
  laidOut(40),
  laidOut(80),
  laidOut(200),
  {
    title: 'A conversation',
    text: 'Without a question `modelsvc chat` is a conversation. TAB completes commands, models and files.',
    script: (fake) => fake.chat.reply('Three.').reply('Neap tides are the weakest.').reply('They come at half moon.'),
    steps: [
      { line: 'modelsvc chat', until: '> ' },
      { line: 'How many kinds of tides are there?', until: 'Three.' },
      { line: 'Which of them are the weakest?', until: 'Neap tides' },
      { line: '/retry', until: 'half moon' },
      { line: '/cost', until: 'answers' },
      { line: '/exit' },
    ],
  },
  {
    title: 'The log',
    text: 'Each exchange is kept on your machine. `--no-log` and the setting `log` turn this off.',
    script: (fake) => fake.chat.reply('Air scatters blue light most.').reply('The Moon pulls the water.'),
    steps: [
      { line: 'modelsvc "Why is the sky blue?" --save sky' },
      { line: 'modelsvc "How do tides work?"' },
      { line: 'modelsvc logs search moon water' },
      { line: 'modelsvc logs list' },
      { line: 'modelsvc logs cost' },
      { line: 'modelsvc conversations list' },
    ],
    replace: [
      [/\b20\d\d-\d\d-\d\d\b/g, '2026-11-24'],
      [/\b\d\d:\d\d\b/g, '12:00'],
      [/^m[a-z\d]{13}(?= )/gm, 'mwstgsw1hsf1ju'],
    ],
  },
  {
    title: 'Coding tools at 40 columns',
    text: 'One line a tool, at any width.',
    columns: 40,
    files: { '.claude/settings.json': '{}\n' },
    steps: [{ line: 'modelsvc coding load claude-code --yes >/dev/null' }, { line: 'clear' }, { line: 'modelsvc coding status' }],
  },
  {
    title: 'Completion',
    text: 'TAB completes commands, options and their values, in bash, zsh and fish.',
    steps: [
      { line: 'bash --norc --noprofile' },
      { line: 'clear' },
      { line: 'source <(modelsvc completion bash)' },
      { keys: 'modelsvc Space conv Tab l Tab', until: 'conversations list' },
      { keys: 'Enter' },
      { keys: 'modelsvc Space chat Space --effort Space Tab Tab', until: 'medium' },
    ],
  },
  {
    title: 'A plan that counts credits',
    text: 'The share of cached input and of peak hours for each model, and a bar for each hour.',
    script: (fake) => fake.fallback('quota.getLimit', { example: 'credits' }),
    steps: [{ line: 'modelsvc quota', isShown: true }, { line: 'clear' }, { line: 'modelsvc usage' }],
    replace: [
      [/^(Off-peak|Peak hours): credits.*$/m, 'Off-peak: credits count half. Peak hours begin in 2 h 10 min (14:00).'],
      [/^\d{4}-\d\d-\d\d \d\d:\d\d to \S+ \d\d:\d\d/m, '2026-11-23 16:00 to 2026-11-24 16:10'],
    ],
  },
  {
    title: 'Settings',
    text: 'A value is the first of: option, environment variable, folder, user, built in.',
    steps: [
      { line: 'modelsvc config set effort low' },
      { line: 'modelsvc config set alias.fast glm-5.3-flash' },
      { line: 'modelsvc config set model fast --folder' },
      { line: 'modelsvc config list' },
      { line: 'modelsvc config set efort high' },
    ],
  },
  {
    title: 'Templates',
    text: 'A command line becomes a template. Names in braces are its variables.',
    script: (fake) => fake.chat.reply('Gezeiten entstehen durch die Anziehung von Mond und Sonne.'),
    steps: [
      { line: "modelsvc chat -s 'Answer in {lang}.' 'Explain {topic}' --save-template explain" },
      { line: 'modelsvc templates list' },
      { line: 'modelsvc chat -T explain -p topic=tides' },
      { line: 'modelsvc chat -T explain -p topic=tides -p lang=German' },
    ],
  },
  {
    title: 'The same of many rows',
    text: 'One line shows the progress. Ctrl-C prints the command that continues.',
    files: { 'rows.txt': rows(50) },
    script: (fake) => {
      let count = 0;
      fake.fallback('chat.create', () =>
        ++count > 20 ? faults.silentBeforeHeaders() : { turn: { text: 'done', usage: { input: 12, output: 30 } } },
      );
    },
    steps: [
      { line: "modelsvc map 'Explain row {line}' rows.txt -O out.jsonl --concurrency 1", until: '20 of 50, 40 %', isShown: true },
      { keys: 'C-c' },
    ],
    replace: [[/[\d.]+\/(?:s|min), \d+ \w+ left/, '9.6/s, 4 s left']],
  },
  {
    title: 'A summary of failures',
    text: 'Failures are listed by reason, the most frequent first.',
    files: { 'rows.txt': rows(12) },
    script: (fake) => {
      fake.answer('chat.create', faults.error(400, '1301', 'Blocked.'), faults.error(400, '1301', 'Blocked.'), faults.error(400, '1210', 'Bad row.'));
      echo(fake);
    },
    steps: [{ line: "modelsvc map 'Explain row {line}' rows.txt -O out.jsonl --concurrency 1" }, { line: 'echo $?' }],
  },
  {
    title: 'The mock',
    text: 'Each request is a line with its status and the reason of a failure.',
    steps: [
      { line: 'modelsvc mock --port 0 --key secret --fault-once "error(503, \'1305\')"', until: 'Ctrl-C ends it.' },
      { act: (screen) => ask(mockUrl(screen), 'secret'), until: 'fault error' },
      { act: (screen) => ask(mockUrl(screen), 'wrong'), until: 'token expired' },
      { act: (screen) => ask(mockUrl(screen), 'secret'), until: '200 chat.create' },
      { keys: 'C-c' },
    ],
  },
  {
    title: 'Any job by its id',
    text: 'One command waits for jobs, documents, batches and runs of agents.',
    script: (fake) => fake.task({ kind: 'parser', id: '3c7b9f1e5a264d0e8f1b', states: ['succeeded'] }),
    steps: [{ line: 'modelsvc jobs wait 3c7b9f1e5a264d0e8f1b' }],
  },
];
