"""What calls cost: how they begin alike, what is cached of that, and at which prices."""

from patch_agent.pricing.bill import Bill, Total, bill, bills, total
from patch_agent.pricing.prefix import (
    Edit,
    Encode,
    Reuse,
    Unit,
    edit,
    message_units,
    reuse,
    shared_start,
    tool_unit,
)
from patch_agent.pricing.prices import CHAPTER, Cost, Prices, cost
from patch_agent.pricing.tables import (
    PriceError,
    PriceTable,
    Tier,
    own_prices,
    price_table,
    price_tables,
)

__all__ = [
    "CHAPTER",
    "Bill",
    "Cost",
    "Edit",
    "Encode",
    "PriceError",
    "PriceTable",
    "Prices",
    "Reuse",
    "Tier",
    "Total",
    "Unit",
    "bill",
    "bills",
    "cost",
    "edit",
    "message_units",
    "own_prices",
    "price_table",
    "price_tables",
    "reuse",
    "shared_start",
    "tool_unit",
    "total",
]
