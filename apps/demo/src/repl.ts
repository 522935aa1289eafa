import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { exampleLines } from './examples.ts'
import type { TerminalStream } from './terminal.ts'
import { type Session, takeTurn } from './turn.ts'

/**
 * Alternates prompts and turns until the input ends. Ctrl-C stops a turn in progress; at the prompt, it ends the loop.
 * Lines that are typed during a turn are buffered, without echo, for the next prompt.
 */
export async function repl(
  session: Session,
  { input, output }: { input: Readable; output: TerminalStream },
): Promise<void> {
  const { terminal } = session
  const screen = new PromptScreen(output)
  const readline = createInterface({ input, output: screen, terminal: true, prompt: '> ' })
  let turn: AbortController | undefined
  /** For each buffered line: whether it was echoed when it was typed. */
  const seen: boolean[] = []

  readline.on('line', () => {
    seen.push(screen.shown)
    screen.shown = false
  })
  readline.on('SIGINT', () => {
    if (turn) turn.abort(new DOMException('Ctrl-C was pressed.', 'AbortError'))
    else readline.close()
  })

  function prompt(): void {
    if (seen.length > 0) return
    terminal.freshLine()
    screen.shown = true
    readline.prompt(true)
  }

  prompt()
  for await (const line of readline) {
    if (!seen.shift()) terminal.line(`> ${line}`)
    const text = line.trim()
    if (text === '/exit') break
    if (text === '/help') for (const example of exampleLines()) terminal.line(example)
    else if (text !== '') {
      turn = new AbortController()
      await takeTurn(text, session, turn.signal)
      turn = undefined
    }
    prompt()
  }
  readline.close()
  if (screen.shown) terminal.line()
}

/** The output of the prompt, which is muted while an answer is shown. */
class PromptScreen extends Writable {
  shown = false
  readonly #output: TerminalStream

  constructor(output: TerminalStream) {
    super()
    this.#output = output
    output.on('resize', () => this.emit('resize'))
  }

  get columns(): number | undefined {
    return this.#output.columns
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    if (this.shown) this.#output.write(chunk)
    done()
  }
}
