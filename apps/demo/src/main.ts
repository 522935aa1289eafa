import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chooseModel } from './choose-model.ts'
import { Conversation } from './conversation.ts'
import { demoAgent } from './demo-agent.ts'
import { exampleLines } from './examples.ts'
import { takeLineTurns } from './line-turns.ts'
import { repl } from './repl.ts'
import { printable, Terminal } from './terminal.ts'
import { type Session, type TurnOutcome, takeTurn } from './turn.ts'

const USAGE = `Usage: pnpm demo             talks in the terminal; piped lines are a turn each
       pnpm demo "Hello"     takes one turn

Environment: OPENAI_BASE_URL (any compatible server), OPENAI_API_KEY or ANTHROPIC_API_KEY choose the
provider, MODEL the model. With none of them the demo runs on a model of its own.

Try:
${exampleLines().join('\n')}`

const EXIT_CODES = { answered: 0, failed: 1, aborted: 130 } as const satisfies Record<TurnOutcome, number>

/** Milliseconds between two pieces of an answer of the embedded model, where somebody watches. */
const PACE = 15

async function main(): Promise<number> {
  const { stdin, stdout, argv, env } = process
  const { positionals, values } = parseArgs({
    args: argv.slice(2),
    options: { help: { type: 'boolean', short: 'h' } },
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
  const session: Session = { conversation: new Conversation(demoAgent(chosen.model)), chosen, terminal }
  terminal.line(`Model: ${printable(chosen.label)}`)

  if (positionals.length === 0 && stdin.isTTY && stdout.isTTY) {
    for (const line of [
      'Try:',
      ...exampleLines(),
      '/help shows these again. Ctrl-C stops an answer, and at the prompt the demo.',
    ])
      terminal.line(terminal.style('dim', line))
    await repl(session, { input: stdin, output: stdout })
    return 0
  }

  const interrupted = new AbortController()
  process.on('SIGINT', () => interrupted.abort(new DOMException('Ctrl-C was pressed.', 'AbortError')))
  const { signal } = interrupted
  const outcome =
    positionals.length > 0
      ? await takeTurn(positionals.join(' '), session, signal)
      : await takeLineTurns(stdin, session, signal)
  return EXIT_CODES[outcome]
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0) // Whoever read this has seen enough.
  throw error
})

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`Error: ${printable(error instanceof Error ? error.message : String(error))}`)
  process.exitCode = 1
}
