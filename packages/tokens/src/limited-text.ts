import { slicesOf } from '@millrace/guards/guard'
import type { Encoding } from './encoding.ts'
import { fit, LONGEST_PIECE, PER_CUT, safeCut, tokensOf } from './text-tokens.ts'

/** The tokens left, before the factor of an estimate. Several texts may share it. */
export interface TokenBudget {
  left: number
}

/**
 * A text in chunks that ends when its budget is used up. The end of the text is held only if it may not fit, since its
 * last word may continue.
 */
export class LimitedText {
  readonly #encoding: Encoding
  readonly #budget: TokenBudget
  /** Text that is not charged yet, and how many units of it are already emitted. */
  #pending = ''
  #out = 0
  #isFull = false
  /** The tokens charged so far. */
  tokens = 0

  constructor(encoding: Encoding, budget: TokenBudget) {
    this.#encoding = encoding
    this.#budget = budget
  }

  /** Whether some text did not fit. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Takes the next chunk. Returns what can be emitted. */
  push(piece: string): string {
    if (this.#isFull) return ''
    const before = this.#pending.length
    this.#pending += piece
    const cut = safeCut(this.#pending, before)
    let out = ''
    if (cut > 0) out = this.#charge(cut, tokensOf(this.#pending.slice(0, cut), this.#encoding))
    else if (this.#pending.length > LONGEST_PIECE) out = this.#chargeParts()
    if (this.#isFull || maxUtf8Length(this.#pending) > this.#budget.left) return out
    // A token has at least one byte, so this text fits in any case.
    out += this.#pending.slice(this.#out)
    this.#out = this.#pending.length
    return out
  }

  /** Ends the text. Returns what was held and fits. */
  end(): string {
    if (this.#isFull || this.#pending === '') return ''
    return this.#charge(this.#pending.length, tokensOf(this.#pending, this.#encoding))
  }

  #chargeParts(): string {
    const parts = [...slicesOf(this.#pending, LONGEST_PIECE)].slice(0, -1)
    let out = ''
    for (const part of parts) {
      if (this.#isFull) break
      out += this.#charge(part.length, tokensOf(part, this.#encoding) + PER_CUT)
    }
    return out
  }

  /** Charges the first `length` units of the pending text, or as many of them as fit. */
  #charge(length: number, tokens: number): string {
    const text = this.#pending.slice(0, length)
    let fitting = text
    if (tokens <= this.#budget.left) {
      this.#budget.left -= tokens
      this.tokens += tokens
    } else {
      fitting = fit(text, this.#budget.left, this.#encoding)
      this.#budget.left = 0
      this.#isFull = true
    }
    const out = fitting.slice(this.#out)
    this.#out = Math.max(0, this.#out - length)
    this.#pending = this.#pending.slice(length)
    return out
  }
}

/** An upper bound for the UTF-8 length of a text. */
function maxUtf8Length(text: string): number {
  return 3 * text.length
}
