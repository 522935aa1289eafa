// Compiled, never run: what users rely on being inferred, at sizes where a compiler might give up.
import { Agent, type RunResult, type ToolCallOf, type ToolResultOf, tool } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

/** Ten levels of objects, arrays, unions and records, of another type for every name. */
function nested<const NAME extends string>(name: NAME) {
  const inputSchema = deep(name)
  return tool({
    inputSchema,
    execute: ({ one }) => ({ name: one.two.name, count: one.two.three.length }),
  })
}

function deep<const NAME extends string>(name: NAME) {
  const ten = z.object({ name: z.literal(name), at: z.coerce.date(), tags: z.array(z.string()).default([]) })
  const nine = z.object({ ten: z.record(z.string(), ten), note: z.string().nullable() })
  const eight = z.object({ nine: nine.optional(), price: z.number().transform((price) => String(price)) })
  const seven = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('leaf'), value: z.union([z.string(), z.number(), z.boolean()]) }),
    z.object({ kind: z.literal('branch'), eight: z.array(eight) }),
  ])
  const six = z.object({ seven: z.tuple([seven, seven]) })
  const five = z.object({ six: six.partial() })
  const four = z.intersection(z.object({ five }), z.object({ id: z.number() }))
  const three = z.array(z.object({ four, level: z.enum(['low', 'high']) }))
  return z.object({ one: z.object({ two: z.object({ name: z.literal(name), three }) }) })
}

const tools = {
  t01: nested('t01'),
  t02: nested('t02'),
  t03: nested('t03'),
  t04: nested('t04'),
  t05: nested('t05'),
  t06: nested('t06'),
  t07: nested('t07'),
  t08: nested('t08'),
  t09: nested('t09'),
  t10: nested('t10'),
  t11: nested('t11'),
  t12: nested('t12'),
  t13: nested('t13'),
  t14: nested('t14'),
  t15: nested('t15'),
  t16: nested('t16'),
  t17: nested('t17'),
  t18: nested('t18'),
  t19: nested('t19'),
  t20: nested('t20'),
  t21: nested('t21'),
  t22: nested('t22'),
  t23: nested('t23'),
  t24: nested('t24'),
  t25: nested('t25'),
  t26: nested('t26'),
  t27: nested('t27'),
  t28: nested('t28'),
  t29: nested('t29'),
  t30: nested('t30'),
  t31: nested('t31'),
  t32: nested('t32'),
  t33: nested('t33'),
  t34: nested('t34'),
  t35: nested('t35'),
  t36: nested('t36'),
  t37: nested('t37'),
  t38: nested('t38'),
  t39: nested('t39'),
  t40: nested('t40'),
  t41: nested('t41'),
  t42: nested('t42'),
  t43: nested('t43'),
  t44: nested('t44'),
  t45: nested('t45'),
  t46: nested('t46'),
  t47: nested('t47'),
  t48: nested('t48'),
  t49: nested('t49'),
  t50: nested('t50'),
  t51: nested('t51'),
  t52: nested('t52'),
  t53: nested('t53'),
  t54: nested('t54'),
  t55: nested('t55'),
  t56: nested('t56'),
  t57: nested('t57'),
  t58: nested('t58'),
  t59: nested('t59'),
  t60: nested('t60'),
  plain: {
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }: { city: string }) => city.length,
  },
}

type Tools = typeof tools
type Calls = ToolCallOf<Tools>
type CallOf<NAME extends string> = Extract<Calls, { toolName: NAME }>
type Output<NAME extends string> = Extract<
  ToolResultOf<Tools>,
  { toolName: NAME; status: 'success' }
>['output']

const agent = new Agent({ model: new ScriptedModel([]), tools })

test('a call of any of 61 tools is told apart by its name, with its input', async () => {
  const { steps } = await agent.generate('Hi')
  for (const call of steps.flatMap(({ toolCalls }) => toolCalls)) {
    expectTypeOf(call.toolName).toEqualTypeOf<keyof Tools>()
    if (call.toolName === 't42') {
      expectTypeOf(call.input).toEqualTypeOf<z.output<ReturnType<typeof deep<'t42'>>>>()
      expectTypeOf(call.input.one.two.name).toEqualTypeOf<'t42'>()
      for (const { four, level } of call.input.one.two.three) {
        expectTypeOf(level).toEqualTypeOf<'low' | 'high'>()
        expectTypeOf(four.id).toEqualTypeOf<number>()
        for (const seven of four.five.six.seven ?? []) {
          if (seven.kind === 'leaf') expectTypeOf(seven.value).toEqualTypeOf<string | number | boolean>()
          else {
            expectTypeOf(seven.eight).items.toHaveProperty('price').toEqualTypeOf<string>()
            const at = seven.eight[0]?.nine?.ten.first?.at
            expectTypeOf(at).toEqualTypeOf<Date | undefined>()
          }
        }
      }
    }
    // @ts-expect-error there is no such tool
    if (call.toolName === 't61') continue
  }
  expectTypeOf<CallOf<'plain'>['input']>().toEqualTypeOf<{ city: string }>()
})

test('so is a result, with its output', async () => {
  const { steps } = await agent.stream('Hi').result
  for (const result of steps.flatMap(({ toolResults }) => toolResults)) {
    if (result.status === 'error') expectTypeOf(result.error).toEqualTypeOf<string>()
    if (result.status === 'success' && result.toolName === 't60') {
      expectTypeOf(result.output).toEqualTypeOf<{ name: 't60'; count: number }>()
    }
  }
  expectTypeOf<Output<'t01'>>().toEqualTypeOf<{ name: 't01'; count: number }>()
  expectTypeOf<Output<'plain'>>().toEqualTypeOf<number>()
})

test('an object has the type of its schema, however deep', async () => {
  type Expected = z.output<ReturnType<typeof deep<'answer'>>>
  const output = deep('answer')
  const result = await agent.generate('Hi', { output })
  expectTypeOf(result).toEqualTypeOf<RunResult<Tools, Expected>>()
  expectTypeOf(result.object).toEqualTypeOf<Expected | undefined>()
  if (result.status === 'completed') expectTypeOf(result.object).toEqualTypeOf<Expected>()
  expectTypeOf(agent.stream('Hi', { output }).object).resolves.toEqualTypeOf<Expected | undefined>()
  // @ts-expect-error the schema has no such field
  void result.object?.one.three
})

test('an object has the type of its schema, also where that refers to itself', async () => {
  const category = z.object({
    name: z.string(),
    get children() {
      return z.array(category)
    },
  })
  const { object } = await agent.generate('Hi', { output: category })
  expectTypeOf(object?.children[0]?.children[0]?.name).toEqualTypeOf<string | undefined>()
})

test('an object is undefined where none was asked for', async () => {
  const { object } = await agent.generate('Hi')
  expectTypeOf(object).toEqualTypeOf<undefined>()
})
