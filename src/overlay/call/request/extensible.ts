/**
 * Allows unlisted fields in a request written inline, because the service may accept more than the spec lists. A variable of the request's own
 * type, or an object checked with `satisfies`, does not: the compiler reports a misspelled field there.
 */
export type Extensible<Request> = Request | (Request & { readonly [field: string]: unknown });
