/** The input of a call of an operation, in types of the document. */

import type { operations } from '../../../generated/operations.ts';
import type { CallInput } from './build-call.ts';

/**
 * Parameters of path, query and headers by name. Each one is named, also if it may be undefined: a method that does not take a new parameter
 * is an error of types. A method takes it in its request or its filter.
 */
export type ParametersOf<Operation> = Operation extends { parameters: infer Places }
  ? Whole<At<Places, 'path'> & At<Places, 'query'> & At<Places, 'header'>>
  : object;

/** The filter of a list: its query in the document, for callers. */
export type QueryOf<Id extends keyof operations> = At<operations[Id]['parameters'], 'query'>;

/** A filter as parameters of a call. */
export function filtered<Query extends object>(query: Query | undefined): Whole<Query> {
  return { ...query } as Whole<Query>;
}

/** The body; with undefined if the document does not require it. */
export type BodyOf<Operation> = Operation extends { requestBody: { content: infer Types } }
  ? Types[keyof Types]
  : Operation extends { requestBody?: infer Content }
    ? ContentOf<NonNullable<Content>> | undefined
    : undefined;

type ContentOf<Content> = Content extends { content: infer Types } ? Types[keyof Types] : undefined;

/** The input of a call: `body` and `parameters` as the document has them, and the other parts of a CallInput. */
export type InputOf<Operation> = BodyInput<Operation> &
  (keyof ParametersOf<Operation> extends never ? { readonly parameters?: undefined } : { readonly parameters: ParametersOf<Operation> });

/** The input of a call without its parameters. */
export type BodyInput<Operation> = Omit<CallInput, 'body' | 'parameters'> &
  (undefined extends BodyOf<Operation> ? { readonly body?: BodyOf<Operation> } : { readonly body: BodyOf<Operation> });

type At<Places, Name extends string> = Name extends keyof Places ? NonNullable<Places[Name]> : object;

type Whole<Fields> = { readonly [Name in keyof Fields as Lowercase<Name & string> extends OwnHeader ? never : Name]-?: Fields[Name] };

/** Headers that the client adds itself. */
type OwnHeader = 'accept-language' | 'anthropic-version' | 'user-agent';
