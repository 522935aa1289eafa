/**
 * Evaluates an expression of numbers, `+ - * / ^`, signs and parentheses, with the usual precedence; `^` is
 * right-associative.
 *
 * @throws SyntaxError if the expression is not valid, RangeError if it has no finite value
 */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|\S/g) ?? []
  let position = 0

  function sum(): number {
    let value = product()
    for (;;) {
      if (accept('+')) value += product()
      else if (accept('-')) value -= product()
      else return value
    }
  }

  function product(): number {
    let value = signed()
    for (;;) {
      if (accept('*')) value *= signed()
      else if (accept('/')) value /= signed()
      else return value
    }
  }

  function signed(): number {
    if (accept('-')) return -signed()
    if (accept('+')) return signed()
    return power()
  }

  function power(): number {
    const base = operand()
    return accept('^') ? base ** signed() : base
  }

  function operand(): number {
    if (accept('(')) {
      const value = sum()
      if (!accept(')')) throw unexpected(')')
      return value
    }
    const token = tokens[position]
    if (token === undefined || !/\d/.test(token)) throw unexpected('a number')
    position++
    return Number(token)
  }

  function accept(token: string): boolean {
    if (tokens[position] !== token) return false
    position++
    return true
  }

  function unexpected(wanted: string): SyntaxError {
    return new SyntaxError(`Expected ${wanted} but found ${tokens[position] ?? 'the end of the expression'}.`)
  }

  const value = sum()
  if (position < tokens.length) throw unexpected('an operator')
  if (!Number.isFinite(value)) throw new RangeError('The expression has no finite value.')
  return Number(value.toPrecision(12))
}
