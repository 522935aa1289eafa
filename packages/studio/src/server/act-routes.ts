import type { Hono } from 'hono'
import type { Actions } from '../act/actions.ts'
import { StudioError } from '../studio-error.ts'
import type { AnswerRequest, ChatEvents, ChatRequest, ReplayRequest } from '../wire.ts'
import { eventStream } from './events.ts'
import { followRun, recorded } from './follow-run.ts'
import { AnswerSchema, ChatSchema, parsedBody, ReplaySchema } from './requests.ts'
import type { ServerParts } from './server-parts.ts'

/** Routes for actions on the agents of this process. */
export function actRoutes(app: Hono, { library, actions }: ServerParts): void {
  app.get('/api/suspended', async (context) =>
    context.json({ runs: actions ? await actions.suspended() : [] }),
  )

  app.post('/api/suspended/:runId/answer', async (context) => {
    const request = (await parsedBody(AnswerSchema, context)) as AnswerRequest
    const started = await attached(actions).answer(context.req.param('runId'), request)
    await recorded(library, started.runId)
    return context.json(started)
  })

  app.delete('/api/suspended/:runId', async (context) =>
    context.json({ released: await attached(actions).release(context.req.param('runId')) }),
  )

  app.post('/api/runs/:runId/replay', async (context) => {
    const request = (await parsedBody(ReplaySchema, context)) as ReplayRequest
    const started = await attached(actions).replay(context.req.param('runId'), request)
    await recorded(library, started.runId)
    return context.json(started)
  })

  app.post('/api/agents/:agent/chat', async (context) => {
    const request = (await parsedBody(ChatSchema, context)) as ChatRequest
    const started = await attached(actions).chat(context.req.param('agent'), request)
    return eventStream<ChatEvents>(context, async (send, signal) => {
      await send('started', started)
      await recorded(library, started.runId)
      await followRun(
        library,
        started.runId,
        async (name, data) => {
          if (name === 'reader') await send('reader', data as ChatEvents['reader'])
          if (name === 'run') await send('reader', (data as { reader: ChatEvents['reader'] }).reader)
          if (name !== 'end') return
          await send('reader', (data as { reader: ChatEvents['reader'] }).reader)
          const summary = await library.summary(started.runId)
          if (summary) await send('end', summary)
        },
        { signal, revealed: false },
      )
    })
  })
}

/** @throws StudioError `NO_PROCESS` */
function attached(actions: Actions | undefined): Actions {
  if (actions) return actions
  throw new StudioError(
    'NO_PROCESS',
    'This server reads a file and has no agents. Start your program, and open the link that it prints.',
  )
}
