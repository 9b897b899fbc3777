// Progress on stderr: one line that is rewritten, on a terminal only.
import { columnsOf } from './io.ts';
import { cleaned } from './terminal.ts';
import { waitText } from './time-text.ts';
import { clipped } from './width.ts';

const firstAfterMs = 1000;
const drawnEveryMs = 100;

export interface ProgressLine {
  /** A line of a terminal that is drawn again, plain lines, or none. */
  readonly way: 'terminal' | 'lines' | 'none';
  /** Shows a text, once a second has passed. A function gives the text of the moment. */
  show(text: string | (() => string)): void;
  /** Removes the line until it is drawn again, for other output. */
  hide(): void;
  /** Removes the line. */
  done(): void;
}

const silent: ProgressLine = { way: 'none', show: () => undefined, hide: () => undefined, done: () => undefined };

/**
 * A progress line. It stays empty for work of less than a second, in CI, and with `--no-progress` or `--quiet`. If stderr is not a terminal, it is a
 * plain line every `plainEveryMs`, or none.
 */
export function progressLine(stderr: NodeJS.WriteStream, isWanted: boolean, plainEveryMs?: number): ProgressLine {
  const isTerminal = stderr.isTTY === true;
  const everyMs = isTerminal ? drawnEveryMs : plainEveryMs;
  if (!isWanted || everyMs === undefined) return silent;
  let text: string | (() => string) = '';
  let since = performance.now();
  let isShown = false;
  const draw = (): void => {
    if (text === '') return;
    const line = cleaned(typeof text === 'string' ? text + elapsedText(performance.now() - since) : text());
    isShown = isTerminal;
    stderr.write(isTerminal ? `\r\x1b[2K${clipped(line, columnsOf(stderr) - 1)}` : `${line}\n`);
  };
  const hide = (): void => {
    if (isShown) stderr.write('\r\x1b[2K');
    isShown = false;
  };
  let timer: NodeJS.Timeout | undefined;
  const first = setTimeout(
    () => {
      draw();
      timer = setInterval(draw, everyMs).unref();
    },
    Math.max(firstAfterMs, everyMs),
  ).unref();
  return {
    way: isTerminal ? 'terminal' : 'lines',
    show: (line) => {
      if (line !== text) since = performance.now();
      text = line;
    },
    hide,
    done: () => {
      clearTimeout(first);
      clearInterval(timer);
      hide();
      text = '';
    },
  };
}

/** The time that a step takes, once a person begins to wonder. */
function elapsedText(ms: number): string {
  return ms < 2000 ? '' : `, ${waitText(Math.floor(ms / 1000) * 1000)}`;
}

/** A size for people: `12.3 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Progress of a transfer: `3.1 MB of 12.3 MB, 25 %`. */
export function transferText(done: number, total: number | undefined): string {
  return total === undefined || total === 0 ? sizeText(done) : `${sizeText(done)} of ${sizeText(total)}, ${Math.floor((done / total) * 100)} %`;
}
