// A shell in tmux, with a home folder of its own.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A step that has no effect within this time ends the script. */
const longestMs = 30_000;

let servers = 0;

export class TmuxTerminal implements AsyncDisposable {
  readonly #server: string;

  private constructor(server: string) {
    this.#server = server;
  }

  /** Opens a terminal of a size, with a prompt `$ `. Rejects if tmux is missing. */
  static async open(size: { readonly columns: number; readonly lines: number }, folder: string, path: string): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(`modelsvc-screens-${process.pid}-${++servers}`);
    const env = ['-i', `HOME=${folder}`, `PATH=${path}`, 'PS1=$ ', 'TERM=screen', 'LC_ALL=C.UTF-8', 'sh'];
    await terminal.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', `${size.columns}`, '-y', `${size.lines}`, '-c', folder, 'env', ...env);
    await terminal.#until(() => terminal.#isAtPrompt(), 'the prompt of the shell');
    return terminal;
  }

  async type(line: string, until: string | undefined): Promise<void> {
    await this.#tmux('send-keys', '-l', line);
    // The echo proves that the shell has the line: before, the prompt is that of the last command.
    await this.#until(async () => (await this.#tmux('capture-pane', '-p', '-J')).includes(line), line);
    await this.press('Enter', until);
  }

  /** Presses keys, separated by spaces, then waits for a text, or else for the prompt. */
  async press(keys: string, until: string | undefined): Promise<void> {
    await this.#tmux('send-keys', ...keys.split(' '));
    if (until === undefined) await this.#until(() => this.#isAtPrompt(), 'the next prompt');
    else await this.shows(until);
  }

  async shows(text: string): Promise<void> {
    await this.#until(async () => (await this.#tmux('capture-pane', '-p', '-J')).includes(text), text);
  }

  /** The screen as it is seen, without the last prompt. */
  async screen(): Promise<string> {
    const text = await this.#tmux('capture-pane', '-p');
    return text
      .trimEnd()
      .replace(/\n?\$$/, '')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
  }

  async #isAtPrompt(): Promise<boolean> {
    const row = Number(await this.#tmux('display-message', '-p', '#{cursor_y}'));
    // The terminal shows a Ctrl-C before the prompt.
    return /^(?:\^C)?\$\s*$/.test((await this.#tmux('capture-pane', '-p')).split('\n')[row] ?? '');
  }

  async #until(isThere: () => Promise<boolean>, name: string): Promise<void> {
    const end = performance.now() + longestMs;
    while (!(await isThere())) {
      if (performance.now() > end) throw new Error(`the screen does not show ${name}:\n${await this.screen()}`);
      await sleep(50);
    }
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('tmux', ['-L', this.#server, ...args]);
    return stdout;
  }
}
