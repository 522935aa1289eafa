import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { getRequestListener } from '@hono/node-server'
import { Agent, type Processor, tool } from '@millrace/core'
import { createHandler, type Handler, type HandlerOptions } from '@millrace/server'
import type { ScriptedModel } from '@millrace/testing'
import OpenAI from 'openai'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

export interface Served {
  client: OpenAI
  baseURL: string
  errors: unknown[]
}

/** Serves the handler over real HTTP on loopback, with OpenAI's client connected to it. */
export async function serve(handler: Handler, errors: unknown[] = []): Promise<Served> {
  const server = createServer(getRequestListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { client: new OpenAI({ baseURL, apiKey: 'key-of-ada', maxRetries: 0 }), baseURL, errors }
}

export const authenticate = (request: Request) =>
  request.headers.get('authorization') === 'Bearer key-of-ada' ? { resourceId: 'ada' } : undefined

/** Serves a proxied model named `small`. */
export function proxied(model: LanguageModelV4, options: Partial<HandlerOptions> = {}): Promise<Served> {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  return serve(
    createHandler({ agents: {}, proxy: { small: model }, authenticate, onError, ...options }),
    errors,
  )
}

/** Serves an agent named `support`. */
export function agents(model: ScriptedModel, processors: Processor[] = []): Promise<Served> {
  const clock = tool({ inputSchema: z.object({}), execute: () => '10:00' })
  const refund = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'refunded' })
  const support = new Agent({ model, processors, instructions: 'Be kind.', tools: { clock, refund } })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  return serve(createHandler({ agents: { support }, authenticate, onError }), errors)
}
