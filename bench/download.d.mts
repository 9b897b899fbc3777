export interface Download {
  /** Of the chunk, as the bundler called it. */
  readonly name: string;
  readonly text: string;
  /** Gzipped. */
  readonly bytes: number;
}

export function downloaded(program: string, resolveDir: string): Promise<Download[]>;
export function wholeFile(program: string, resolveDir: string, platform?: 'browser' | 'node'): Promise<number>;
