import { Agent } from '@millrace/core'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler } from '@millrace/server'
import { model } from './model.ts' // in your code: a model of the AI SDK

const memory = new Memory() // in your code: with a store that lasts

export const handler: Handler = createHandler({
  agents: { support: new Agent({ model, memory }) },
  memory,
  basePath: '/api',
  // In your code: from the session.
  authenticate: (request) =>
    request.headers.get('authorization') === 'Bearer key-of-ada' ? { resourceId: 'ada' } : undefined,
})
