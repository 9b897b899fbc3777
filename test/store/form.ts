import * as v from 'valibot';
import type { Form } from '../../src/store/document.ts';

export interface Items {
  readonly items: readonly string[];
}

export const form: Form<Items> = {
  version: 1,
  shape: v.looseObject({ items: v.array(v.string()) }),
  isPrivate: true,
  cure: 'Move it away.',
};
