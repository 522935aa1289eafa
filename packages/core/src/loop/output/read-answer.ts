import type { Schema, SchemaResult } from '../../schema.ts'

/** As the agent reads an answer with an output schema: see `parse-json.ts`, which is loaded on demand. */
export async function parseJson<OUTPUT>(text: string, schema: Schema<OUTPUT>): Promise<SchemaResult<OUTPUT>> {
  return (await import('./parse-json.ts')).parseJson(text, schema)
}
