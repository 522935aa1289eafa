/** The version of the conventions that spans and metrics follow. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0'

/** The instrumentation scope, as arguments of `getTracer` and `getMeter`. */
export const SCOPE: readonly [name: string, version: undefined, options: { schemaUrl: string }] = [
  '@millrace/core',
  undefined,
  { schemaUrl: SCHEMA_URL },
]
