/** A row of a table of a page. */
export function tableRow(...cells: readonly unknown[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
