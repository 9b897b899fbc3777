// The process of an MCP server, in a group of its own, so that its children end with it. The transport of the SDK ends the first process alone.
import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, ReadBuffer, serializeMessage, Transport } from '@modelcontextprotocol/client';

export interface McpProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stderr: 'inherit' | 'ignore';
  /** Once it has aborted, the server is not given time to end by itself. */
  readonly signal: AbortSignal;
  /** Messages as lines, by the SDK. */
  readonly lines: { readonly buffer: ReadBuffer; readonly serialize: typeof serializeMessage };
}

/** Milliseconds for each of the two ways to end in order: the end of stdin, and SIGTERM. */
const longestEndMs = 2000;

export class McpProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: McpProcessOptions;
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: McpProcessOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const { command, args, env, stderr } = this.#options;
    return new Promise((resolve, reject) => {
      // Detached: the terminal's Ctrl-C does not reach the server, which still has to answer while this program ends.
      const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', stderr], detached: true });
      this.#child = child;
      process.on('exit', this.#kill);
      child.on('spawn', resolve).on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      child.on('close', () => {
        // Its children may go on without it.
        void this.close();
        this.onclose?.();
      });
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('error', (error) => this.onerror?.(error)).on('data', (block: Buffer) => this.#read(block));
    });
  }

  #read(block: Buffer): void {
    const { buffer } = this.#options.lines;
    try {
      buffer.append(block);
    } catch (error) {
      // A line beyond the limit of the SDK.
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is not a message: some servers log to stdout.
        this.onerror?.(error as Error);
      }
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error('the server has ended'));
    return new Promise((resolve) => {
      if (stdin.write(this.#options.lines.serialize(message))) resolve();
      else stdin.once('drain', resolve).once('close', resolve);
    });
  }

  /** Ends the group: by the end of stdin, else by SIGTERM, else by SIGKILL. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    child?.stdin?.end();
    const isOver = (): boolean => !this.#signal(0);
    // Children that outlive the server have not understood the end of stdin.
    const isAlone = (): boolean => isOver() || child?.exitCode !== null || child.signalCode !== null;
    if (!this.#options.signal.aborted) await this.#within(isAlone);
    if (this.#signal('SIGTERM')) await this.#within(isOver);
    this.#kill();
    process.off('exit', this.#kill);
    // A child that left the group may hold the pipe.
    child?.stdout?.destroy();
    child?.unref();
    this.#options.lines.buffer.clear();
  }

  async #within(isReached: () => boolean): Promise<void> {
    const end = performance.now() + longestEndMs;
    while (!isReached() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  readonly #kill = (): void => void this.#signal('SIGKILL');

  /** Sends a signal to the group. False if it has no process. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}
