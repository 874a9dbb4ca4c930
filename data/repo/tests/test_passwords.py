"""Rules for passwords, their hashes, and roles."""

import pytest

from auth.passwords import (
    COMMON,
    LONGEST,
    WeakPassword,
    check_password,
    hash_password,
    matches,
    needs_rehash,
    weaknesses,
)
from auth.roles import (
    PERMISSIONS,
    ROLES,
    Forbidden,
    may,
    may_see,
    permissions,
    require,
    role_of,
)
from store.settings import Settings
from tests.helpers import PASSWORDS, recorded

GOOD = ["correct horse 1", "zitronenmelisse", "ten chars!", "päßwörter sind schwer", "x y" * 20]


@pytest.mark.parametrize("password", GOOD)
def test_good_password(password):
    assert weaknesses(password, "ada@example.com") == []
    check_password(password)


@pytest.mark.parametrize("password", sorted(COMMON))
def test_common_password(password):
    assert weaknesses(password.upper()) == ["one of the most common passwords"]


@pytest.mark.parametrize(
    "password, reason",
    [
        ("short", "shorter than 10 characters"),
        ("", "shorter than 10 characters"),
        ("ab" * LONGEST, "longer than 200 characters"),
        ("zzzzzzzzzzzz", "one character over and over"),
        (" leading space", "begins or ends with a space"),
        ("trailing space ", "begins or ends with a space"),
        ("my.carla.password", "contains the name in the e-mail address"),
    ],
)
def test_weak_password(password, reason):
    assert reason in weaknesses(password, "carla@example.org")


def test_all_reasons_at_once():
    with pytest.raises(WeakPassword) as caught:
        check_password("aaaa")
    assert caught.value.reasons == ["shorter than 10 characters", "one character over and over"]


def test_short_names_may_be_part():
    assert weaknesses("bo went to market", "bo@example.com") == []


@pytest.mark.parametrize("password", GOOD)
def test_hash_round_trip(password):
    stored = hash_password(password, 10)
    assert matches(password, stored)
    assert not matches(password + " ", stored)


@pytest.mark.parametrize("email", sorted(PASSWORDS))
def test_recorded_password(email):
    (customer,) = recorded("customers").where(email=email)
    assert matches(PASSWORDS[email], customer["password"])


def test_same_password_other_salt():
    first = hash_password("correct horse 1", 10, lambda size: b"a" * size)
    second = hash_password("correct horse 1", 10, lambda size: b"b" * size)
    assert first != second
    assert first.startswith("pbkdf2$10$61616161")


@pytest.mark.parametrize("rounds, behind", [(9, False), (10, False), (11, True)])
def test_needs_rehash(rounds, behind):
    assert needs_rehash(hash_password("correct horse 1", 10), rounds) is behind


@pytest.mark.parametrize("stored", ["", "plain", "md5$1$00$00", "pbkdf2$10$00"])
def test_damaged_hash(stored):
    with pytest.raises(ValueError, match="damaged"):
        matches("correct horse 1", stored)


@pytest.mark.parametrize("name", sorted(ROLES))
def test_roles_use_known_permissions(name):
    assert permissions(name) <= set(PERMISSIONS)


@pytest.mark.parametrize("permission", PERMISSIONS)
def test_owner_may_do_everything(permission):
    assert may("owner", permission)


@pytest.mark.parametrize(
    "role, permission, allowed",
    [
        ("guest", "orders:place", True),
        ("guest", "orders:read", False),
        ("customer", "invoices:read", True),
        ("customer", "invoices:refund", False),
        ("support", "orders:read_all", True),
        ("support", "invoices:refund", False),
        ("accounts", "invoices:refund", True),
        ("accounts", "stock:adjust", False),
        ("warehouse", "stock:adjust", True),
        ("warehouse", "orders:place", False),
    ],
)
def test_may(role, permission, allowed):
    assert may(role, permission) is allowed
    if allowed:
        require(role, permission)
    else:
        with pytest.raises(Forbidden):
            require(role, permission)


@pytest.mark.parametrize("role, permission", [("king", "orders:read"), ("owner", "orders:eat")])
def test_unknown_names(role, permission):
    with pytest.raises(KeyError):
        may(role, permission)


@pytest.mark.parametrize(
    "role, customer, owner, seen",
    [
        ("customer", "cus_1", "cus_1", True),
        ("customer", "cus_1", "cus_2", False),
        ("support", "cus_1", "cus_2", True),
        ("guest", "cus_1", "cus_1", False),
    ],
)
def test_may_see(role, customer, owner, seen):
    assert may_see(role, customer, owner, "invoices") is seen


@pytest.mark.parametrize(
    "id, role",
    [
        ("cus_1001", "customer"),
        ("cus_1005", "guest"),
        ("cus_2001", "support"),
        ("cus_2002", "owner"),
    ],
)
def test_role_of(id, role):
    settings = Settings(b"secret", admins=frozenset({"ines@lindenmart.example"}))
    assert role_of(recorded("customers").get(id), settings) == role
