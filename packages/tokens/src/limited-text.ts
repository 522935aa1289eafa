import { slicesOf } from '@millrace/guards/guard'
import type { Encoding } from './encoding.ts'
import { fit, LONGEST_PIECE, PER_CUT, safeCut, tokensOf } from './text-tokens.ts'

/** A budget of tokens, before the factor of an estimate, that one text after the other is charged to. */
export interface TokenBudget {
  left: number
}

/**
 * A text that arrives in pieces and ends where its budget does. The end of what has arrived is held back only where it
 * might not fit: a word may still grow.
 */
export class LimitedText {
  readonly #encoding: Encoding
  readonly #budget: TokenBudget
  /** What is not charged yet, and how much of it is out. */
  #pending = ''
  #out = 0
  #isFull = false
  /** What it has been charged so far. */
  tokens = 0

  constructor(encoding: Encoding, budget: TokenBudget) {
    this.#encoding = encoding
    this.#budget = budget
  }

  /** Whether something did not fit. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Takes the next piece and returns what can go out. */
  push(piece: string): string {
    if (this.#isFull) return ''
    const before = this.#pending.length
    this.#pending += piece
    const cut = safeCut(this.#pending, before)
    let out = ''
    if (cut > 0) out = this.#charge(cut, tokensOf(this.#pending.slice(0, cut), this.#encoding))
    else if (this.#pending.length > LONGEST_PIECE) out = this.#chargeParts()
    if (this.#isFull || utf8Bound(this.#pending) > this.#budget.left) return out
    // A token is at least a byte, so this much fits whatever it turns out to be.
    out += this.#pending.slice(this.#out)
    this.#out = this.#pending.length
    return out
  }

  /** The text ends here. Returns what was held back and fits. */
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

  /** Charges the first `length` units of what is pending, or as much of them as fits. */
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

/** At least as many as the bytes of a text in UTF-8. */
function utf8Bound(text: string): number {
  return 3 * text.length
}
