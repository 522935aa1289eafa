import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { z } from 'zod'

const weather = z.object({ city: z.string(), celsius: z.number(), sky: z.string() })
const sluice = z.object({ gate: z.string() })
const calculation = z.object({ expression: z.string(), value: z.number() })

/** One sentence for each tool result. */
export function reportResults({ content }: Extract<LanguageModelV4Message, { role: 'tool' }>): string {
  return content.flatMap((part) => (part.type === 'tool-result' ? [sentence(part)] : [])).join(' ')
}

function sentence({ toolName, output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case 'json': {
      const { data: report } = weather.safeParse(output.value)
      if (report) return `In ${report.city} it is ${report.celsius} °C, with ${report.sky}.`
      const { data: result } = calculation.safeParse(output.value)
      if (result) return `${result.expression} = ${result.value}.`
      const { data: moved } = sluice.safeParse(output.value)
      if (moved) return `The sluice gate is ${moved.gate}.`
      return `The tool ${toolName} answered ${JSON.stringify(output.value)}.`
    }
    case 'text':
      return `The tool ${toolName} answered: ${output.value}`
    case 'error-text':
      return `I could not do that: ${output.value}`
    case 'execution-denied':
      return `I was not allowed to do that${output.reason ? `: ${output.reason}` : '.'}`
    default:
      return `The tool ${toolName} has answered.`
  }
}
