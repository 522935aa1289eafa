import type { Message } from '@millrace/core'

/** Messages of words with the frequencies of a language (Zipf), the same in every run. */
export class SampleTurns {
  #seed = 1
  #count = 0

  /** A question of 20 words and an answer of 60. */
  next(): Message[] {
    return [this.#message('user', 20), this.#message('assistant', 60)]
  }

  vector(dimensions: number): Float32Array<ArrayBuffer> {
    return Float32Array.from({ length: dimensions }, () => this.#random() - 0.5)
  }

  #message(role: 'user' | 'assistant', words: number): Message {
    const text = Array.from({ length: words }, () => this.#word()).join(' ')
    return {
      id: `message-${this.#count++}`,
      role,
      content: { parts: [{ type: 'text', text }] },
      createdAt: new Date(0),
    }
  }

  #word(): string {
    return wordOfRank(Math.floor(50_000 ** this.#random()))
  }

  /** Park and Miller's generator. */
  #random(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647
    return this.#seed / 2_147_483_647
  }
}

/** Word 1 is in most messages, word 10,000 in few. */
export function wordOfRank(rank: number): string {
  return `w${rank.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}x`
}
