import type { Chunk } from '@millrace/core'
import { printable, type Terminal } from './terminal.ts'

/** Shows the chunks of a turn: the streamed answer, tool calls, and what processors did. */
export class TurnView {
  readonly #terminal: Terminal
  #objection: unknown

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  show(chunk: Chunk): void {
    const terminal = this.#terminal
    switch (chunk.type) {
      case 'step-start':
        terminal.mark()
        return
      case 'text-start':
        terminal.freshLine()
        return
      case 'text-delta':
        terminal.write(chunk.textDelta)
        return
      case 'tool-call':
        this.#note(`→ ${chunk.toolName} ${JSON.stringify(chunk.input)}`)
        return
      case 'tool-result':
        if (!chunk.preliminary) this.#note(`← ${chunk.toolName} ${JSON.stringify(chunk.output)}`)
        return
      case 'tool-error':
        this.#note(`← ${chunk.toolName} failed: ${chunk.error}`)
        return
      case 'data-objection':
        this.#objection = chunk.data
        return
      case 'data-summary':
        this.#note(String(chunk.data))
        return
      case 'step-discarded':
        this.#takeBack(chunk)
        return
      case 'response-replaced':
        this.#note('— the answer was replaced by —')
        terminal.write(chunk.text)
        return
      case 'tripwire': {
        const { processorId = 'a tool', hook = 'its execution', reason } = chunk
        terminal.line(terminal.style('red', printable(`■ Blocked by ${processorId} in ${hook}: ${reason}`)))
        return
      }
      case 'abort':
        terminal.line(terminal.style('yellow', '■ Stopped (status aborted).'))
        return
      case 'finish':
        if (chunk.status === 'limit') this.#note('— stopped at the maximum of steps —')
        return
    }
  }

  #takeBack({ retry }: Extract<Chunk, { type: 'step-discarded' }>): void {
    this.#terminal.takeBack()
    const reason = this.#objection ?? (retry ? 'a processor asks for another answer' : 'the turn is blocked')
    this.#objection = undefined
    this.#terminal.line(this.#terminal.style('magenta', `— retracted: ${printable(String(reason))} —`))
  }

  #note(text: string): void {
    this.#terminal.line(this.#terminal.style('dim', printable(text)))
  }
}
