import { array, looseObject, string } from 'valibot';
import type { Form } from '../../src/store/document.ts';

export interface Items {
  readonly items: readonly string[];
}

export const form: Form<Items> = {
  version: 1,
  shape: looseObject({ items: array(string()) }),
  isPrivate: true,
  cure: 'Move it away.',
};
