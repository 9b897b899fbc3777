import type { Context } from '../../context.ts';

/**
 * Allows unlisted fields in a request written inline, because the service may accept more than the spec lists. A variable of the request's own
 * type, or an object checked with `satisfies`, does not: the compiler reports a misspelled field there.
 *
 * `Names` are the names of the argument's fields. A name that is a slip for a listed one is an error that names it, and so is an option of a call.
 */
export type Extensible<Request, Names extends PropertyKey = never> = (Request | (Request & { readonly [field: string]: unknown })) &
  NoSlips<Names, Slips<Request>>;

// The fields are optional, because the compiler proposes `await` only if the awaited value fits.
type NoSlips<Names extends PropertyKey, Known> = { readonly [Name in Names]?: Name extends keyof Known ? Known[Name] : unknown };

/** The slips for the names of a request, each with the name that was meant. */
type Slips<Request> = {
  readonly [Name in keyof Request & string as Exclude<Slip<Name>, keyof Request>]: `did you mean ${Name}?`;
} & Misplaced<Request>;

/** The options of a call that the request has no field for. The names that are left out may be fields of another service. */
type Misplaced<Request> = {
  readonly [Name in Exclude<keyof Context, keyof Request | 'model' | 'priority' | 'service'>]: `pass { ${Name} } as the first argument`;
};

/** The camel-case form of a name, the name without one letter, and the name with two letters swapped. */
type Slip<Name extends string> = Camel<Name> | Shortened<Name> | Swapped<Name>;

type Camel<Name extends string> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<Camel<Rest>>}` : Name;

type Shortened<Rest extends string, Before extends string = ''> = Rest extends `${infer Letter}${infer After}`
  ? `${Before}${After}` | Shortened<After, `${Before}${Letter}`>
  : never;

type Swapped<Rest extends string, Before extends string = ''> = Rest extends `${infer One}${infer Other}${infer After}`
  ? `${Before}${Other}${One}${After}` | Swapped<`${Other}${After}`, `${Before}${One}`>
  : never;
