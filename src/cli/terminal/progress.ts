// Progress on stderr: one line that is rewritten, on a terminal only.
import { columnsOf } from './io.ts';
import { cleaned } from './terminal.ts';

const firstAfterMs = 1000;
const everyMs = 100;

export interface ProgressLine {
  /** Shows a text, once a second has passed. */
  show(text: string): void;
  /** Removes the line. */
  done(): void;
}

const silent: ProgressLine = { show: () => undefined, done: () => undefined };

/** A progress line. It stays empty for work of less than a second, in a pipe, in CI, and with `--no-progress` or `--quiet`. */
export function progressLine(stderr: NodeJS.WriteStream, isWanted: boolean): ProgressLine {
  if (!isWanted || stderr.isTTY !== true) return silent;
  let text = '';
  let isShown = false;
  const draw = (): void => {
    if (text === '') return;
    isShown = true;
    stderr.write(`\r\x1b[2K${text.slice(0, columnsOf(stderr) - 1)}`);
  };
  let timer: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    draw();
    timer = setInterval(draw, everyMs);
    timer.unref();
  }, firstAfterMs);
  first.unref();
  return {
    show: (line) => void (text = cleaned(line)),
    done: () => {
      clearTimeout(first);
      clearInterval(timer);
      if (isShown) stderr.write('\r\x1b[2K');
      isShown = false;
      text = '';
    },
  };
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
