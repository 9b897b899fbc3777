import { expect, test } from 'vitest';
import { withPart } from '../../scripts/generate/pages/page-parts.ts';

test('a generated part of a page is replaced between its marks, and a page without them is named', () => {
  const page = '# A\n\n<!-- generated: rows -->\nold\n<!-- /generated -->\n\nend\n';
  const written = withPart('a.md', page, 'rows', '| new |');
  expect(written).toBe('# A\n\n<!-- generated: rows -->\n\n| new |\n\n<!-- /generated -->\n\nend\n');
  expect(withPart('a.md', written, 'rows', '| new |')).toBe(written);
  expect(() => withPart('a.md', '# A\n', 'rows', '')).toThrow(
    'a.md has no place for "rows": add "<!-- generated: rows -->" and "<!-- /generated -->"',
  );
});
