import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { createRoute, z } from '@hono/zod-openapi'
import type { App, RouteContext } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { modelNotFound } from './answer.ts'
import { openAIErrors, refuseInvalid, respond } from './openai-route.ts'

/** OpenAI's maximum of texts in one request. */
const MAX_INPUTS = 2_048

const EmbeddingsRequest = z
  .looseObject({
    model: z.string(),
    input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_INPUTS)], {
      error: `input must be a text, or a list of 1 to ${MAX_INPUTS} texts. Lists of tokens are not supported.`,
    }),
    dimensions: z.number().int().positive().nullish(),
    encoding_format: z.enum(['float', 'base64']).nullish(),
  })
  .openapi('EmbeddingsRequest')

const route = createRoute({
  method: 'post',
  path: '/v1/embeddings',
  summary: 'OpenAI’s embeddings, from an embedding model',
  request: { body: { required: true, content: json(EmbeddingsRequest) } },
  responses: {
    200: { description: 'A vector for each text', content: json(z.looseObject({})) },
    ...openAIErrors,
  },
})

export function embeddings(app: App, { settings }: RouteContext): void {
  app.openapi(
    route,
    (context) =>
      respond(context, settings, async () => {
        const { model: name, input, dimensions, encoding_format: format } = context.req.valid('json')
        const model = Object.hasOwn(settings.embeddings, name) ? settings.embeddings[name] : undefined
        if (!model) throw modelNotFound(name)
        const { vectors, tokens } = await embed(model, {
          values: typeof input === 'string' ? [input] : input,
          ...(dimensions && { dimensions }),
          abortSignal: context.req.raw.signal,
        })
        return Response.json({
          object: 'list',
          model: name,
          data: vectors.map((vector, index) => ({
            object: 'embedding',
            index,
            embedding: format === 'base64' ? toBase64(vector) : vector,
          })),
          usage: { prompt_tokens: tokens, total_tokens: tokens },
        })
      }),
    refuseInvalid,
  )
}

/** In batches of the size that the model takes. */
async function embed(
  model: EmbeddingModelV4,
  { values, ...options }: Parameters<EmbeddingModelV4['doEmbed']>[0],
): Promise<{ vectors: number[][]; tokens: number }> {
  const batch = (await model.maxEmbeddingsPerCall) ?? values.length
  const vectors: number[][] = []
  let tokens = 0
  for (let from = 0; from < values.length; from += batch) {
    const { embeddings, usage } = await model.doEmbed({
      ...options,
      values: values.slice(from, from + batch),
    })
    vectors.push(...embeddings)
    tokens += usage?.tokens ?? 0
  }
  return { vectors, tokens }
}

/** 32-bit floats, little-endian. */
function toBase64(vector: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true)
  return btoa(Array.from(new Uint8Array(bytes.buffer), (byte) => String.fromCharCode(byte)).join(''))
}
