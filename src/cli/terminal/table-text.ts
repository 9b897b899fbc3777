// Tables for terminals: columns aligned for wide characters too, within the width of the terminal. Loaded when a table is printed.
import { type Paint, plain } from './terminal.ts';
import { clipped, widthOf } from './width.ts';

const gap = 2;
/** A column is left out before it gets narrower than this: dates, ids and counts stay whole. */
const narrowest = 20;

export interface TableColumn {
  readonly title: string;
  /** Left out first, the last one before the others. */
  readonly isExtra?: boolean | undefined;
}

/** A table, and the titles of the columns for which there is no room. A longer cell ends in an ellipsis. */
export function table(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  width: number,
): { readonly text: string; readonly hidden: readonly string[] } {
  const wanted = columns.map(({ title }, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(title)));
  const places = placesOf(columns, wanted, width);
  const line = (cells: readonly string[], style: Paint): string =>
    places
      .map((place) => {
        const text = clipped((cells[place.at] ?? '').replaceAll('\n', ' '), place.width);
        return style('bold', text) + ' '.repeat(Math.max(0, place.width - widthOf(text)));
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    paint,
  );
  const text = [head, ...rows.map((row) => line(row, plain))].join('\n');
  const hidden = columns.filter(({ title }, at) => title !== '' && !places.some((place) => place.at === at));
  return { text, hidden: hidden.map(({ title }) => title) };
}

/** The columns that have room, with their widths. The widest give way first. */
function placesOf(columns: readonly TableColumn[], wanted: readonly number[], width: number): { readonly at: number; readonly width: number }[] {
  const places = [...columns.keys()];
  const least = (): number => places.reduce((all, at) => all + gap + Math.min(narrowest, wanted[at] ?? 0), -gap);
  while (places.length > 1 && least() > width) {
    const extra = places.findLastIndex((at) => columns[at]?.isExtra === true);
    places.splice(extra, 1);
  }
  const widths = shared(
    places.map((at) => wanted[at] ?? 0),
    width - gap * (places.length - 1),
  );
  return places.map((at, index) => ({ at, width: widths[index] ?? 0 }));
}

/** Widths that fit into the room. The widest columns give way first. */
export function shared(wanted: readonly number[], room: number): number[] {
  let most = Math.min(room, Math.max(0, ...wanted));
  const given = (): number[] => wanted.map((width) => Math.min(width, most));
  while (most > 1 && given().reduce((sum, width) => sum + width, 0) > room) most--;
  return given();
}
