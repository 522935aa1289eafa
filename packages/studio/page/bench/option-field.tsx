import { type ReactNode, useId, useState } from 'react'
import type { JSONSchemaProperty } from '../../src/wire.ts'
import { Check } from '../parts/check.tsx'
import { readOption } from './choices.ts'

interface OptionFieldProps {
  name: string
  property: JSONSchemaProperty
  /** `undefined` for the default. */
  value: unknown
  onChange: (value: unknown) => void
}

/** A form field for one option of a guard, by its schema. */
export function OptionField({ name, property, value, onChange }: OptionFieldProps) {
  const id = useId()
  const label = property.title ?? name
  const hint = property.description && (
    <span id={id} className="field-hint">
      {property.description}
    </span>
  )
  if (property.type === 'boolean') {
    const isOn = (value ?? property.default ?? false) === true
    return (
      <div className="field">
        <Check
          isChecked={isOn}
          onChange={(isChecked) => onChange(isChecked === property.default ? undefined : isChecked)}
        >
          {label}
        </Check>
        {hint}
      </div>
    )
  }
  const kinds = property.items?.enum
  if (kinds) {
    const fallback = Array.isArray(property.default) ? property.default : []
    return (
      <KindField
        label={label}
        kinds={kinds}
        value={asList(value) ?? asList(fallback) ?? []}
        onChange={onChange}
      >
        {hint}
      </KindField>
    )
  }
  if (property.enum) {
    return (
      <label className="field">
        {label}
        <select
          className="select"
          aria-describedby={hint ? id : undefined}
          value={String(value ?? property.default ?? '')}
          onChange={({ target }) =>
            onChange(target.value === String(property.default ?? '') ? undefined : target.value)
          }
        >
          {property.default === undefined && <option value="">Not set</option>}
          {property.enum.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
        {hint}
      </label>
    )
  }
  return (
    <WrittenField
      label={label}
      hintId={hint ? id : undefined}
      property={property}
      value={value}
      onChange={onChange}
    >
      {hint}
    </WrittenField>
  )
}

const asList = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined

interface KindFieldProps {
  label: string
  kinds: readonly string[]
  value: readonly string[]
  onChange: (value: unknown) => void
  children: ReactNode
}

/** A field with several checkboxes. */
function KindField({ label, kinds, value, onChange, children }: KindFieldProps) {
  return (
    <fieldset className="field plain">
      <legend>{label}</legend>
      {children}
      <div className="kinds">
        {kinds.map((kind) => (
          <Check
            key={kind}
            isChecked={value.includes(kind)}
            onChange={(isChecked) =>
              onChange(kinds.filter((each) => (each === kind ? isChecked : value.includes(each))))
            }
          >
            <span className="code">{kind}</span>
          </Check>
        ))}
      </div>
    </fieldset>
  )
}

interface WrittenFieldProps extends Omit<OptionFieldProps, 'name'> {
  label: string
  hintId: string | undefined
  children: ReactNode
}

/** A field for a number, a text, or a list with one item per line. */
function WrittenField({ label, hintId, property, value, onChange, children }: WrittenFieldProps) {
  const id = useId()
  const [text, setText] = useState(() => asList(value)?.join('\n') ?? String(value ?? ''))
  const fallback = asList(property.default)?.join(', ') ?? String(property.default ?? '')
  const common = {
    id,
    className: 'input',
    'aria-describedby': hintId,
    placeholder: fallback === '' ? 'Not set' : fallback,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => {
      setText(target.value)
      onChange(readOption(property, target.value))
    },
  }
  const isNumber = property.type === 'number' || property.type === 'integer'
  return (
    <div className="field">
      <label htmlFor={common.id}>{label}</label>
      {property.type === 'array' ? (
        <textarea rows={3} {...common} />
      ) : (
        <input
          {...common}
          type={isNumber ? 'number' : 'text'}
          min={property.minimum}
          max={property.maximum}
          step={property.type === 'integer' ? 1 : 'any'}
        />
      )}
      {children}
      {property.type === 'array' && <span className="field-hint">One per line.</span>}
    </div>
  )
}
