#!/usr/bin/env node
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Agent } from '@millrace/core'
import type { Studio } from '@millrace/studio'
import { chooseModel } from './choose-model.ts'
import { Conversation } from './conversation.ts'
import { demoAgent } from './demo-agent.ts'
import { DEFAULT_THREAD, DEMO_FILE, demoMemory, newThreadId } from './demo-memory.ts'
import { embeddedModel } from './embedded-model/embedded-model.ts'
import { exampleLines } from './examples.ts'
import { takeExampleTurns, takeLineTurns } from './line-turns.ts'
import { repl } from './repl.ts'
import { printable, Terminal } from './terminal.ts'
import { type Session, type TurnOutcome, takeTurn } from './turn.ts'

/** The command in a clone of the repository, or in the published package. */
const COMMAND = import.meta.url.endsWith('.ts') ? 'pnpm demo' : 'npx @millrace/demo'

const USAGE = `Usage: ${COMMAND}             chats in the terminal; each piped line is a turn
       ${COMMAND} "Hello"     takes one turn
       ${COMMAND} --studio    runs the examples, and links to a page that shows what every processor did

Conversations are stored in ${DEMO_FILE} in the working folder. The next start continues them.
  --thread <name>   uses another conversation. Default: ${DEFAULT_THREAD}
  --new             starts a new one
  /memory           as a message: shows the memory

Environment: OPENAI_BASE_URL (any compatible server), OPENAI_API_KEY or ANTHROPIC_API_KEY select
the provider, MODEL the model. Without them, the demo uses an embedded model.

Try:
${exampleLines().join('\n')}`

/** The database of `--studio`. */
const STUDIO_FILE = 'millrace-demo-studio.db'

const EXIT_CODES = { answered: 0, failed: 1, aborted: 130 } as const satisfies Record<TurnOutcome, number>

/** Milliseconds between two pieces of the embedded model's answer, in a terminal. */
const PACE = 15

async function main(): Promise<number> {
  const { stdout, argv, env } = process
  const { positionals, values } = parseArgs({
    args: argv.slice(2),
    options: {
      help: { type: 'boolean', short: 'h' },
      thread: { type: 'string' },
      new: { type: 'boolean' },
      studio: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  const terminal = new Terminal(stdout)
  if (values.help) {
    terminal.line(USAGE)
    return 0
  }

  const chosen = await chooseModel(
    env,
    stdout.isTTY ? { pace: (signal) => wait(PACE, undefined, signal && { signal }) } : {},
  )
  terminal.line(`Model: ${printable(chosen.label)}`)
  const memory = demoMemory(DEMO_FILE)
  const agent = demoAgent(chosen.model, memory)
  const threadId = values.thread || (values.new ? newThreadId() : DEFAULT_THREAD)
  const conversation = new Conversation({ agent, memory, threadId })
  const trace = values.studio ? await recorded(agent) : undefined
  try {
    return await talk({ conversation, chosen, terminal }, { words: positionals, trace })
  } finally {
    await agent.close()
    await trace?.close()
    await memory.storage.close()
  }
}

async function talk(
  session: Session,
  { words, trace }: { words: readonly string[]; trace: Studio | undefined },
): Promise<number> {
  const { stdin, stdout } = process
  const { terminal, conversation } = session
  const begin = await conversation.beginning()
  if (begin !== undefined) terminal.line(terminal.style('dim', begin))
  const request = await conversation.request()
  if (request !== undefined) terminal.line(terminal.style('cyan', printable(request)))
  const isTalk = words.length === 0 && stdin.isTTY && stdout.isTTY
  if (trace && isTalk) {
    await takeExampleTurns(session, new AbortController().signal)
    await showLink(trace, terminal)
  }
  if (isTalk) {
    for (const line of [
      'Try:',
      ...exampleLines(),
      '/help shows these again, /memory the memory. Ctrl-C stops an answer; at the prompt, it ends the demo.',
    ])
      terminal.line(terminal.style('dim', line))
    await repl(session, { input: stdin, output: stdout })
    return 0
  }

  const interrupted = new AbortController()
  process.on('SIGINT', () => interrupted.abort(new DOMException('Ctrl-C was pressed.', 'AbortError')))
  const { signal } = interrupted
  const outcome =
    words.length > 0
      ? await takeTurn(words.join(' '), session, signal)
      : await takeLineTurns(stdin, session, signal)
  if (trace && !signal.aborted) {
    await showLink(trace, terminal)
    terminal.line('Ctrl-C ends the demo.')
    // Keeps the process alive while the page is served.
    const timer = setInterval(() => {}, 60_000)
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      process.once('SIGTERM', () => resolve())
    })
    clearInterval(timer)
  }
  return EXIT_CODES[outcome]
}

/** Records the agent. Studio is imported on demand. */
async function recorded(agent: Agent): Promise<Studio> {
  const { studio } = await import('@millrace/studio')
  return studio({ agents: { demo: agent }, file: STUDIO_FILE, models: { 'embedded model': embeddedModel() } })
}

async function showLink(trace: Studio, terminal: Terminal): Promise<void> {
  await trace.flush()
  terminal.line(`What every processor did: ${await trace.link()}`)
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0) // The reader of the pipe has exited.
  throw error
})

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`Error: ${printable(error instanceof Error ? error.message : String(error))}`)
  process.exitCode = 1
}
