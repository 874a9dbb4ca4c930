"""Roles: what a signed-in person may do.

A role is a set of permissions, written `area:action`. Roles build on each
other. `support` can look into every order but cannot give money back;
`accounts` can; `owner` can do all that the shop can do.
"""

from dataclasses import dataclass

from store.settings import Settings

PERMISSIONS = (
    "orders:read",
    "orders:place",
    "orders:read_all",
    "orders:cancel",
    "invoices:read",
    "invoices:read_all",
    "invoices:refund",
    "plans:change",
    "stock:adjust",
    "customers:read_all",
    "customers:block",
    "reports:run",
)


@dataclass(frozen=True)
class Role:
    """A name, its own permissions, and the roles that it builds on."""

    name: str
    own: frozenset[str]
    base: tuple[str, ...] = ()


ROLES = {
    role.name: role
    for role in (
        Role("guest", frozenset({"orders:place"})),
        Role(
            "customer",
            frozenset({"orders:read", "orders:cancel", "invoices:read", "plans:change"}),
            ("guest",),
        ),
        Role(
            "support",
            frozenset({"orders:read_all", "invoices:read_all", "customers:read_all"}),
            ("customer",),
        ),
        Role("warehouse", frozenset({"orders:read_all", "stock:adjust"})),
        Role("accounts", frozenset({"invoices:refund", "reports:run"}), ("support",)),
        Role("owner", frozenset({"customers:block"}), ("accounts", "warehouse")),
    )
}


class Forbidden(Exception):
    """The person is known and may not do this."""


def permissions(name: str) -> frozenset[str]:
    """All permissions of a role, with those that it builds on."""
    if name not in ROLES:
        raise KeyError(f"no role {name}")
    role = ROLES[name]
    return role.own.union(*(permissions(base) for base in role.base))


def role_of(customer: dict[str, object], settings: Settings) -> str:
    """The role of a customer record; admins in the settings are owners."""
    if customer.get("blocked"):
        return "guest"
    if customer["email"] in settings.admins:
        return "owner"
    return str(customer.get("role") or "customer")


def may(role: str, permission: str) -> bool:
    """Whether a role has a permission."""
    if permission not in PERMISSIONS:
        raise KeyError(f"no permission {permission}")
    return permission in permissions(role)


def require(role: str, permission: str) -> None:
    """Raise Forbidden unless a role has a permission."""
    if not may(role, permission):
        raise Forbidden(f"{role} may not {permission}")


def may_see(role: str, customer: str, owner: str, area: str) -> bool:
    """Whether `customer` in `role` may read what belongs to `owner`.

    >>> may_see("support", "cus_1", "cus_2", "invoices")
    True
    """
    if may(role, f"{area}:read_all"):
        return True
    return customer == owner and may(role, f"{area}:read")
