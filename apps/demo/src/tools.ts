import { type Tool, tool } from '@millrace/core'
import { z } from 'zod'
import { evaluate } from './arithmetic.ts'

export interface Weather {
  city: string
  celsius: number
  sky: string
}

export interface Calculation {
  expression: string
  value: number
}

/** Fictional data, always the same for the same city. */
export const weather: Tool<{ city: string }, Weather> = tool({
  description: 'The weather in a city, right now',
  inputSchema: z.object({ city: z.string().min(1).max(60) }),
  execute: ({ city }) => {
    const seed = [...city.toLowerCase()].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7)
    const skies = ['sunshine', 'a few clouds', 'drizzle', 'fog', 'a light breeze'] as const
    return { city, celsius: (seed % 28) + 2, sky: skies[seed % skies.length] ?? skies[0] }
  },
})

export interface SluiceReport {
  gate: string
}

/** Needs approval, because it moves water. */
export const sluice: Tool<{ position: 'open' | 'closed' }, SluiceReport> = tool({
  description: 'Opens or closes the sluice gate of the mill',
  inputSchema: z.object({ position: z.enum(['open', 'closed']) }),
  needsApproval: true,
  execute: ({ position }) => ({ gate: position }),
})

export const calculate: Tool<{ expression: string }, Calculation> = tool({
  description: 'Evaluates an arithmetic expression of numbers, + - * / ^ and parentheses',
  inputSchema: z.object({ expression: z.string().min(1).max(200) }),
  execute: ({ expression }) => ({ expression, value: evaluate(expression) }),
})
